#include "replication/element_sender.h"

#include <algorithm>

namespace convoy {

namespace {

constexpr std::size_t kKeysInPart = (kMaxDatagramPayload - kElementsHeader - kRecordHeader) / kKeySize;
constexpr std::size_t kLargest = kMaxDatagramPayload - kElementsHeader - kRecordHeader;  // element that fits a list
constexpr std::size_t kMaxCarried = 4096;  // datagrams remembered; older ones are as good as lost

}  // namespace

void ElementSender::make_list(const Access& source) {
  list_due_ = false;
  const std::vector<ElementKey> keys = source.all();
  const std::size_t parts =
      std::min(kMaxParts, std::max<std::size_t>(1, (keys.size() + kKeysInPart - 1) / kKeysInPart));
  ++lists_;
  for (std::size_t part = 0; part < parts; ++part) {
    const std::size_t begin = part * kKeysInPart, end = std::min(keys.size(), begin + kKeysInPart);
    Bytes& payload = parts_.emplace_back();
    Writer w(payload);
    w.u32(lists_), w.u16(static_cast<std::uint16_t>(part)), w.u16(static_cast<std::uint16_t>(parts));
    if (begin >= end) continue;  // an empty list has one part without records
    w.u32(0), w.u32(static_cast<std::uint32_t>((end - begin) * kKeySize));
    for (std::size_t i = begin; i < end; ++i) w.u32(keys[i].connection.value()), w.u32(keys[i].id.value());
  }
  // What is on its way might come behind the list, and would be taken for older: it goes again.
  for (auto& [key, open] : open_) open = {};
  carried_.clear();
}

std::size_t ElementSender::send_frames(const Access& source) {
  std::size_t sent = 0;
  for (const ElementKey& key : std::exchange(large_, {})) {
    const Element* element = source.find(key);
    if (!element) continue;
    Bytes payload;
    put_element(payload, *element);
    source.send_frame(payload);
    ++sent;
  }
  return sent;
}

std::size_t ElementSender::send_deltas(const Access& source, Moment now, std::size_t budget) {
  std::size_t sent = 0, bytes = 0;
  Bytes payload;
  std::vector<ElementKey> keys;
  const auto flush = [&] {
    if (keys.empty()) return;
    const std::uint32_t number = source.send(DatagramType::kElements, kDeltaFlag, payload);
    for (const ElementKey& key : keys) open_[key] = {number, now};
    if (number != 0) carried_[number] = std::move(keys);
    bytes += payload.size();
    keys.clear();
  };
  std::vector<ElementKey> due;
  for (const auto& [key, open] : open_)
    if (open.datagram == 0 || now - open.sent >= kResend) due.push_back(key);
  for (const ElementKey& key : due) {
    const Element* element = source.find(key);
    if (!element || element->bytes.size() > kLargest) {
      if (element) large_.insert(key);
      open_.erase(key);
      continue;
    }
    if (!keys.empty() && payload.size() + kRecordHeader + element->bytes.size() > kMaxDatagramPayload) {
      flush();
      if (bytes >= budget) return sent;
    }
    if (keys.empty()) {
      payload.clear();
      Writer w(payload);
      w.u32(++lists_), w.u16(0), w.u16(1);  // each datagram is a delta of its own: they do not wait for one another
    }
    Writer w(payload);
    w.u32(element->type), w.blob(element->bytes);
    keys.push_back(key);
    ++sent;
  }
  flush();
  while (carried_.size() > kMaxCarried) carried_.erase(carried_.begin());
  return sent;
}

std::size_t ElementSender::write(const Access& source, Moment now, std::size_t budget) {
  std::size_t sent = 0;
  if (!waiting_.empty() && parts_.empty() && now - list_sent_ >= kResend) {  // a part was lost: another list
    waiting_.clear();
    list_due_ = true;
  }
  const bool on_its_way = !parts_.empty() || !waiting_.empty();
  if (!on_its_way) {
    sent += send_frames(source);
    if (list_due_) make_list(source);
  }
  for (std::size_t bytes = 0; !parts_.empty() && bytes < budget; parts_.pop_front()) {
    const std::uint32_t number = source.send(DatagramType::kElements, kFullFlag, parts_.front());
    bytes += parts_.front().size();
    // Never acknowledged if it could not be sent: then the list is made again.
    waiting_.insert(number);
    list_sent_ = now;
  }
  sent += send_deltas(source, now, budget);
  if (parts_.empty() && waiting_.empty()) sent += send_frames(source);
  return sent;
}

void ElementSender::acked(std::uint32_t datagram) {
  waiting_.erase(datagram);
  const auto carried = carried_.find(datagram);
  if (carried == carried_.end()) return;
  for (const ElementKey& key : carried->second)
    if (const auto open = open_.find(key); open != open_.end() && open->second.datagram == datagram) open_.erase(open);
  carried_.erase(carried);
}

void ElementSender::beat(const Access& source) {
  Bytes payload;
  Writer w(payload);
  w.u32(++lists_), w.u16(0), w.u16(1);
  source.send(DatagramType::kElements, kDeltaFlag, payload);
}

Moment ElementSender::due() const {
  const bool on_its_way = !parts_.empty() || !waiting_.empty();
  if (!parts_.empty() || (!on_its_way && (list_due_ || !large_.empty()))) return Moment{};
  Moment next = waiting_.empty() ? kNever : list_sent_ + kResend;
  for (const auto& [key, open] : open_) next = std::min(next, open.datagram == 0 ? Moment{} : open.sent + kResend);
  return next;
}

}  // namespace convoy
