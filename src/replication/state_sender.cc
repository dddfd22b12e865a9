#include "replication/state_sender.h"

#include <algorithm>
#include <utility>

namespace convoy {

namespace {

constexpr std::uint32_t kPatience = 4;       // rounds until something that was not acknowledged goes out again
constexpr std::size_t kGroupsSearched = 16;  // groups; beyond it another one is begun, which costs a batch's header
constexpr std::uint32_t kAhead = 8;          // entities
constexpr float kNeverSent = 1e6f;           // rounds that it counts as having waited

}  // namespace

void StateSender::want(std::span<const MirroredState> shown, std::span<const Wanted> wanted) {
  std::swap(progress_, before_);
  progress_.clear();
  auto old = before_.begin();
  for (const Wanted& w : wanted) {
    const WorldNumber number = shown[w.slot.index()].number;
    while (old != before_.end() && old->number < number) ++old;
    Progress& progress = progress_.emplace_back();
    if (old != before_.end() && old->number == number) progress = *old;
    progress.number = number;
    progress.slot = w.slot, progress.distance = w.distance, progress.passing = w.passing;
  }
}

// Owners report at different instants: states of the same instant are written together, so that few headers go out.
inline void StateSender::group(Due& due) {
  const MirroredState& s = *due.shown;
  std::size_t at = last_group_;
  if (at == 0 || !groups_[at - 1].takes(s)) {
    const std::size_t first = groups_.size() > kGroupsSearched ? groups_.size() - kGroupsSearched : 0;
    at = groups_.size();
    while (at > first && !groups_[at - 1].takes(s)) --at;
    if (at == first) groups_.emplace_back(s), at = groups_.size();
    last_group_ = at;
  }
  due.group = static_cast<std::uint32_t>(at - 1);
  ++groups_[at - 1].next;
}

void StateSender::find_due(const MirroredStates& shown) {
  const Progress* const progress_of = progress_.data();
  const MirroredState* const shown_by = shown.states.data();
  const auto n = static_cast<std::uint32_t>(progress_.size());
  due_.resize(n);
  groups_.clear();
  last_group_ = 0;
  Due* out = due_.data();
  std::size_t open = 0;
  for (std::uint32_t i = 0; i < n; ++i) {
    // In a large world the entity's state may lie anywhere in memory: prefetched, it is there when its turn comes.
    if (i + kAhead < n) __builtin_prefetch(shown_by + progress_of[i + kAhead].slot.index());
    const Progress& progress = progress_of[i];
    const MirroredState& s = shown_by[progress.slot.index()];
    const std::uint32_t version = s.version + 1;
    if (!s.received || progress.acked == version || (progress.passing && progress.acked != 0)) continue;
    ++open;
    if ((progress.sent == version || (progress.passing && progress.sent != 0)) && round_ - progress.round < kPatience)
      continue;  // on its way
    *out = {&s, i, 0};
    group(*out++);
  }
  due_.resize(static_cast<std::size_t>(out - due_.data()));
  open_ = open;
}

void StateSender::keep_within(const Round& round) {
  std::size_t size = kQuantizedSize;
  if (round.joints)
    for (const Due& due : due_) size = std::max(size, record_size(due.shown->joints));
  const std::size_t room = round.budget / size;
  if (due_.size() <= room) return;
  const auto urgency = [&](const Due& due) {
    const Progress& progress = progress_[due.progress];
    return (progress.sent == 0 ? kNeverSent : static_cast<float>(round_ - progress.round)) / (1 + progress.distance);
  };
  std::nth_element(due_.begin(), due_.begin() + static_cast<std::ptrdiff_t>(room), due_.end(),
                   [&](const Due& a, const Due& b) {
                     const float ua = urgency(a), ub = urgency(b);
                     return ua != ub ? ua > ub : a.progress < b.progress;
                   });
  deferred_ += due_.size() - room;
  due_.resize(room);
  groups_.clear();
  last_group_ = 0;
  for (Due& due : due_) group(due);
}

void StateSender::put_in_order() {
  std::uint32_t sum = 0;
  for (Group& group : groups_) sum += std::exchange(group.next, sum);
  order_.resize(due_.size());
  for (const Due& due : due_) order_[groups_[due.group].next++] = due;
}

void StateSender::send(const Emit& emit) {
  const std::uint32_t datagram = emit(datagram_.payload());
  for (std::uint32_t index : in_datagram_) {
    progress_[index].datagram = datagram;
    if (datagram == 0) progress_[index].sent = 0;
  }
  datagram_.clear();
  in_datagram_.clear();
}

std::size_t StateSender::write(const MirroredStates& shown, const Round& round, const Emit& emit) {
  ++round_;
  find_due(shown);
  keep_within(round);
  put_in_order();
  datagram_.write_reached(round.reached);
  for (const Due& due : order_) {
    const MirroredState& s = *due.shown;
    const ByteView joints = round.joints ? shown.joints_of(s) : ByteView();
    if (!datagram_.add(s.stamp, s.origin, s.bytes, joints)) {
      send(emit);
      datagram_.add(s.stamp, s.origin, s.bytes, joints);
    }
    Progress& progress = progress_[due.progress];
    progress.sent = s.version + 1;
    progress.round = round_;
    in_datagram_.push_back(due.progress);
  }
  send(emit);
  return due_.size();
}

void StateSender::acked(std::uint32_t datagram) {
  for (Progress& progress : progress_)
    if (progress.datagram == datagram && progress.sent != 0) progress.acked = progress.sent;
}

}  // namespace convoy
