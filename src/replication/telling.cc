#include "replication/telling.h"

#include <algorithm>

namespace convoy {

namespace {

constexpr std::uint32_t kPatience = 4;     // rounds until something that was not acknowledged goes out again
constexpr std::size_t kOpenBatches = 8;    // of different instants or origins
constexpr std::uint32_t kNotYet = ~std::uint32_t{0};

}  // namespace

void Telling::send(Open& batch, const Emit& emit) {
  const std::uint32_t datagram = emit(batch.bytes);
  for (std::uint32_t index : batch.told) {
    told_[index].datagram = datagram;
    if (datagram == 0) told_[index].sent = 0;
  }
  batch.bytes.clear();
  batch.told.clear();
}

void Telling::put(const Shown& shown, std::uint32_t told, const Emit& emit) {
  Open* batch = nullptr;
  for (Open& b : batches_)
    if (!b.bytes.empty() && b.stamp == shown.stamp && b.origin == shown.origin) batch = &b;
  if (!batch) {
    for (Open& b : batches_)
      if (b.bytes.empty()) batch = &b;
    if (!batch && batches_.size() < kOpenBatches) batch = &batches_.emplace_back();
    if (!batch) {
      batch = &*std::max_element(batches_.begin(), batches_.end(),
                                 [](const Open& a, const Open& b) { return a.bytes.size() < b.bytes.size(); });
      send(*batch, emit);
    }
    batch->stamp = shown.stamp, batch->origin = shown.origin;
    begin_batch(batch->bytes, shown.stamp, shown.origin);
  }
  batch->bytes.insert(batch->bytes.end(), shown.bytes.begin(), shown.bytes.end());
  batch->told.push_back(told);
  if (batch->told.size() == kStatesInBatch) send(*batch, emit);
}

std::size_t Telling::write(std::span<const Shown> shown, std::span<const Wanted> wanted, std::size_t budget,
                           const Emit& emit) {
  ++round_;
  std::swap(told_, before_);
  told_.clear();
  due_.clear();
  open_ = 0;
  auto old = before_.begin();
  for (const Wanted& w : wanted) {
    const Shown& s = shown[w.slot];
    while (old != before_.end() && old->number < s.number) ++old;
    Told& told = told_.emplace_back();
    if (old != before_.end() && old->number == s.number) told = *old;
    told.number = s.number;
    const std::uint32_t version = s.version + 1;
    if (!s.heard || told.acked == version) continue;
    ++open_;
    const std::uint32_t waited = told.sent == 0 ? kNotYet : round_ - told.round;
    if (told.sent == version && waited < kPatience) continue;  // on its way
    const float age = waited == kNotYet ? 1e6f : static_cast<float>(waited);
    due_.push_back({w.slot, static_cast<std::uint32_t>(told_.size() - 1), age / (1 + w.distance)});
  }
  const std::size_t room = budget / kQuantizedSize;
  if (due_.size() > room) {
    std::nth_element(due_.begin(), due_.begin() + static_cast<std::ptrdiff_t>(room), due_.end(),
                     [](const Due& a, const Due& b) { return a.urgency != b.urgency ? a.urgency > b.urgency : a.slot < b.slot; });
    deferred_ += due_.size() - room;
    due_.resize(room);
  }
  for (const Due& due : due_) {
    Told& told = told_[due.told];
    told.sent = shown[due.slot].version + 1;
    told.round = round_;
    put(shown[due.slot], due.told, emit);
  }
  for (Open& batch : batches_)
    if (!batch.bytes.empty()) send(batch, emit);
  return due_.size();
}

void Telling::acked(std::uint32_t datagram) {
  for (Told& told : told_)
    if (told.datagram == datagram && told.sent != 0) told.acked = told.sent;
}

}  // namespace convoy
