#include "replication/mirror.h"

#include <algorithm>

#include "core/check.h"
#include "world/dead_reckoning.h"

namespace convoy {

namespace {

bool at_rest(const QuantizedState& bytes) { return dequantize(bytes.data(), {}).twist == Twist{}; }

}  // namespace

void Mirror::follow(const World& world) {
  const Snapshot& snapshot = world.snapshot();
  BySlot<MirroredState> shown(snapshot.size());
  BySlot<State> known(snapshot.size());
  BySlot<std::uint64_t> counts(snapshot.size());
  Bytes joints;
  owners_.resize(snapshot.size());
  WorldNumber last;
  for (Slot slot : SlotRange(snapshot.size())) {
    const WorldNumber number = last = snapshot.number(slot);
    counts[slot] = snapshot.state(slot).discontinuity;
    owners_[slot] = world.entity(slot).owner;
    const Slot before = slot_of(number);
    if (before != kNoSlot && before.index() < shown_.size() && counts_[before] == counts[slot]) {
      shown[slot] = shown_[before], known[slot] = known_[before];
    } else {
      // The version goes on: a peer that got the old state must not take the new one for it.
      shown[slot].number = number;
      shown[slot].version = before != kNoSlot && before.index() < shown_.size() ? shown_[before].version : 0;
      known[slot] = snapshot.state(slot);
    }
    const MirroredState old = shown[slot];
    const std::size_t count = world.model_of(slot).joints.size();
    shown[slot].joints = count <= kMostJoints ? static_cast<std::uint8_t>(count) : 0;
    shown[slot].joints_at = static_cast<std::uint32_t>(joints.size());
    joints.resize(joints.size() + shown[slot].joints * kJointSize);
    if (old.joints_received)
      std::memcpy(joints.data() + shown[slot].joints_at, joints_.data() + old.joints_at, old.joints * kJointSize);
  }
  shown_ = std::move(shown), joints_ = std::move(joints), known_ = std::move(known), counts_ = std::move(counts);
  slot_at_.assign(last.value() + 1, kNoSlot);
  for (Slot slot : SlotRange(shown_.size())) slot_at_[shown_[slot].number.value()] = slot;
}

State Mirror::state_of(Slot slot, const std::uint8_t* record, const BatchOrigin& origin, Instant stamp) const {
  const Dequantized d = dequantize(record, origin);
  State s;
  s.stamp = stamp;
  s.pose = d.pose, s.twist = d.twist;
  s.discontinuity = counts_[slot];
  make_canonical(s);
  return s;
}

void Mirror::read(Slot slot) const {
  const MirroredState& shown = shown_[slot];
  known_[slot] = state_of(slot, shown.bytes.data(), shown.origin, shown.stamp);
  shown.stale = false;
}

bool Mirror::reckon(World& world, Slot slot, Instant now) const {
  EXPECTS(shown_.size() == world.snapshot().size());  // follow() comes after every edit
  if (!shown_[slot].received) return false;
  State& state = world.snapshot().state(slot);
  const std::uint64_t count = state.discontinuity;
  state = dead_reckoned(known(slot), now, world.map(), world.radii()[slot.index()]);
  state.discontinuity = count;
  const MirroredState& shown = shown_[slot];
  if (shown.joints_received) {
    const Duration age = std::clamp(now - shown.stamp, Duration{0}, kMostReckoned);
    unpack_joints(this->shown().joints_of(shown), age, world.joints(slot));
  }
  return true;
}

bool Mirror::show(const World& world, Slot slot, Instant stamp) {
  EXPECTS(shown_.size() == world.snapshot().size());
  const State& state = world.snapshot().state(slot);
  const BatchOrigin origin = origin_for(state);
  QuantizedState bytes;
  if (!quantize(state, world.snapshot().number(slot), origin, bytes.data())) {
    ++unshown_;
    return false;
  }
  MirroredState& shown = shown_[slot];
  std::uint8_t joints[kMostJoints * kJointSize];
  const std::size_t joints_size = shown.joints * kJointSize;
  const bool with_joints = shown.joints > 0 && pack_joints(world.joints(slot), joints);
  const bool same_joints = with_joints == shown.joints_received &&
                           (!with_joints || std::memcmp(joints_.data() + shown.joints_at, joints, joints_size) == 0);
  // A robot too slow to change the bytes is sent again all the same: others carry on the last state that they got.
  const bool same = shown.received && shown.bytes == bytes && shown.origin == origin && same_joints;
  if (same && (shown.stamp == stamp || at_rest(bytes))) return false;
  shown.bytes = bytes, shown.origin = origin, shown.stamp = stamp;
  shown.joints_received = with_joints;
  if (with_joints) std::memcpy(joints_.data() + shown.joints_at, joints, joints_size);
  known_[slot] = state;
  shown.stale = false;
  shown.received = true;
  ++shown.version;
  return true;
}

}  // namespace convoy
