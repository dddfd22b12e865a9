// SetState: an entity is placed, with a twist or at rest; its agent goes on from there.
#include "world/edits/edits.h"
#include "world/edits/structure.h"
#include "world/spec_check.h"

namespace convoy::edits {

Status Check::operator()(const SetState& edit) const {
  if (auto ok = check_known(world, edit.entity); !ok) return ok;
  if (const WorldNumber parent = entity(world, edit.entity).parent; parent != kNoEntity)
    return fail(ErrorCode::kState, "'" + entity(world, edit.entity).name + "' is attached to '" +
                                       entity(world, parent).name + "'; detach it first");
  if (edit.twist && (!is_finite(edit.twist->v) || !is_finite(edit.twist->w)))
    return fail(ErrorCode::kInvalid, "the twist holds NaN or infinity");
  return edit.keep_pose ? Status{} : check_pose(edit.pose);
}

WorldNumber Apply::operator()(const SetState& edit) const {
  const Slot slot = world.slot_of(edit.entity);
  State& state = world.snapshot_.state(slot);
  if (!edit.keep_pose) state.pose = edit.pose;
  state.twist = edit.twist.value_or(Twist{});
  state.stamp = now;
  ++state.discontinuity;
  make_canonical(state);
  world.put_child_poses(slot, now);
  return kNoEntity;
}

std::uint64_t StructureHash::operator()(const SetState& edit) const { return in_any_order(before, edit); }

std::vector<WorldNumber> EntitiesOf::operator()(const SetState& edit) const { return {edit.entity}; }
std::vector<WorldNumber> ResetsInside::operator()(const SetState&) const { return {}; }
bool RestartsRun::operator()(const SetState&) const { return false; }
bool ChangesImage::operator()(const SetState&) const { return false; }
const std::string* SpawnedName::operator()(const SetState&) const { return nullptr; }

}  // namespace convoy::edits
