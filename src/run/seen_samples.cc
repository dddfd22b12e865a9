#include "run/seen_samples.h"

#include <algorithm>

namespace convoy {

Status SeenSamples::take(ByteView payload, std::uint32_t run) {
  SamplePieces pieces;
  if (!load(payload, pieces)) return fail(ErrorCode::kInvalid, "a Samples frame is malformed");
  if (!taker_) return fail(ErrorCode::kInvalid, "samples that nobody wants");
  lacking_ += pieces.lacking;
  if (pieces.run != run) return {};  // sent before it knew of the reset
  if (!collector_.take(pieces, whole_)) return fail(ErrorCode::kInvalid, "a Samples frame makes no sense");
  return {};
}

void SeenSamples::deliver(const World& world, Duration tick) {
  if (whole_.empty()) return;
  taker_->follow(world);
  std::stable_sort(whole_.begin(), whole_.end(), [](const auto& a, const auto& b) {
    return std::pair(a.tick, a.name.robot) < std::pair(b.tick, b.name.robot);
  });
  for (SampleCollector::Whole& one : whole_) {
    const Slot slot = world.slot_of(one.name.robot);
    if (slot == kNoSlot || one.name.sensor >= world.entity(slot).kind->sensors.size()) continue;  // it is gone
    const SensorSpec& spec = world.entity(slot).kind->sensors[one.name.sensor];
    taker_->took(one.name.robot, spec, {one.name.sensor, one.name.index, one.at, std::move(one.data)},
                 instant(one.tick * nanos(tick)));
  }
  whole_.clear();
}

}  // namespace convoy
