#include "run/seen_samples.h"

#include <algorithm>

namespace convoy {

Status SeenSamples::watch(Owner viewer, ByteView payload) {
  WantedSamples wanted;
  if (!load(payload, wanted) || wanted.lists.size() > 1)
    return fail(ErrorCode::kInvalid, "a Wanted frame is malformed");
  std::vector<SensorChoice> names = wanted.lists.empty() ? std::vector<SensorChoice>() : std::move(wanted.lists[0]);
  const bool patterns = std::any_of(names.begin(), names.end(), [](const SensorChoice& one) {
    return one.pattern.find_first_of("*?") != std::string::npos || one.pattern.size() > 1000;
  });
  if (patterns || names.size() > kMostWatched)
    return fail(ErrorCode::kInvalid, "a viewer wants sensors by their names, at most " + std::to_string(kMostWatched));
  changed_ = true;
  if (names.empty()) viewers_.erase(viewer);
  else viewers_[viewer] = {SensorPicker(std::move(names)), {}};
  return {};
}

void SeenSamples::forget(Owner member) {
  collector_.forget(member);
  if (viewers_.erase(member) > 0) changed_ = true;
}

std::optional<Bytes> SeenSamples::wanted() const {
  WantedSamples all;
  if (taker_) all.lists.push_back(recorded_);
  for (const auto& [viewer, its] : viewers_) all.lists.push_back(its.picker.choices());
  return all.lists.empty() ? std::nullopt : std::optional(save(all));
}

std::optional<Bytes> SeenSamples::take_change() {
  if (!std::exchange(changed_, false)) return {};
  return wanted().value_or(save(WantedSamples{}));
}

Status SeenSamples::take(ByteView payload, std::uint32_t run) {
  SamplePieces pieces;
  if (!load(payload, pieces)) return fail(ErrorCode::kInvalid, "a Samples frame is malformed");
  lacking_ += pieces.lacking;
  if (pieces.run != run) return {};  // sent before it knew of the reset
  run_ = run;
  if (!collector_.take(pieces, whole_)) return fail(ErrorCode::kInvalid, "a Samples frame makes no sense");
  return {};
}

void SeenSamples::deliver(const World& world, Duration tick) {
  if (whole_.empty()) return;
  if (taker_) taker_->follow(world);
  for (auto& [owner, viewer] : viewers_) viewer.picker.follow(world);
  std::stable_sort(whole_.begin(), whole_.end(), [](const auto& a, const auto& b) {
    return std::pair(a.tick, a.name.robot) < std::pair(b.tick, b.name.robot);
  });
  for (SampleCollector::Whole& one : whole_) {
    const Slot slot = world.slot_of(one.name.robot);
    if (slot == kNoSlot || one.name.sensor >= world.entity(slot).kind->sensors.size()) continue;  // it is gone
    const SensorSpec& spec = world.entity(slot).kind->sensors[one.name.sensor];
    const DueSample due{one.name.index, one.period};
    for (auto& [owner, viewer] : viewers_)
      if (viewer.picker.wants(one.name.robot, spec, due)) viewer.newest[{one.name.robot, one.name.sensor}] = one;
    if (taker_ && taker_->takes(one.name.robot, spec, due))
      taker_->took(one.name.robot, spec, {one.name.sensor, one.name.index, one.at, std::move(one.data), one.period},
                   instant(one.tick * nanos(tick)));
  }
  whole_.clear();
}

void SeenSamples::send(const std::function<bool(Owner)>& has_room,
                       const std::function<void(Owner, const Bytes&)>& send) {
  for (auto& [owner, viewer] : viewers_) {
    if (viewer.newest.empty() || !has_room(owner)) continue;
    for (const auto& [name, one] : std::exchange(viewer.newest, {})) {
      SamplePieces pieces{{kNobody, owner}, run_, one.tick, {}};
      cut(one.name, {one.at, one.period}, one.data, pieces.pieces);
      for (const Bytes& frame : encode_samples(std::move(pieces))) send(owner, frame);
    }
  }
}

}  // namespace convoy
