// PutBody: a robot as it once was, or as its owner computed that it would be: pose, twist, joints and engine.
#include <algorithm>
#include <cmath>

#include "world/edits/edits.h"
#include "world/edits/structure.h"
#include "world/spec_check.h"

namespace convoy::edits {

Status Check::operator()(const PutBody& edit) const {
  if (auto ok = check_known(world, edit.entity); !ok) return ok;
  const Slot slot = world.slot_of(edit.entity);
  if (world.entity(slot).parent != kNoEntity)
    return fail(ErrorCode::kState, "'" + world.entity(slot).name + "' is attached to another; detach it first");
  for (const Twist* twist : {&edit.twist, &edit.told})
    if (!is_finite(twist->v) || !is_finite(twist->w)) return fail(ErrorCode::kInvalid, "a twist holds NaN or infinity");
  if (edit.tail.size() != tail_size(world.model_of(slot)))
    return fail(ErrorCode::kInvalid, "the state has " + std::to_string(edit.tail.size()) + " numbers of joints, not " +
                                         std::to_string(tail_size(world.model_of(slot))));
  for (double value : edit.tail)
    if (!std::isfinite(value)) return fail(ErrorCode::kInvalid, "a joint's number is NaN or infinity");
  if (edit.told_for < Duration(0) || edit.told_for > kLongestTold)
    return fail(ErrorCode::kInvalid, "a command rules for a day at most");
  return check_pose(edit.pose);
}

WorldNumber Apply::operator()(const PutBody& edit) const {
  const Slot slot = world.slot_of(edit.entity);
  State& state = world.snapshot_.state(slot);
  state.pose = edit.pose, state.twist = edit.twist, state.stamp = now;
  ++state.discontinuity;
  make_canonical(state);
  std::transform(edit.tail.begin(), edit.tail.end(), world.snapshot_.tail(slot).begin(), canonical);
  world.put_child_poses(slot, now);
  return kNoEntity;
}

std::uint64_t StructureHash::operator()(const PutBody& edit) const { return in_any_order(before, edit); }

std::vector<WorldNumber> EntitiesOf::operator()(const PutBody& edit) const { return {edit.entity}; }
std::vector<WorldNumber> ResetsInside::operator()(const PutBody& edit) const { return {edit.entity}; }
bool RestartsRun::operator()(const PutBody&) const { return false; }
bool ChangesImage::operator()(const PutBody&) const { return false; }
const std::string* SpawnedName::operator()(const PutBody&) const { return nullptr; }

}  // namespace convoy::edits
