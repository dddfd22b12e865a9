// A robot put as a whole: PutBody.
#include <algorithm>
#include <cmath>

#include "world/world.h"

namespace convoy {

Status World::check_body(const PutBody& body) const {
  const Slot slot = slot_of(body.entity);
  if (slot == kNoSlot) return fail(ErrorCode::kNotFound, "unknown entity number " + std::to_string(body.entity));
  if (entities_[slot].parent != kNoEntity)
    return fail(ErrorCode::kState, "'" + entities_[slot].name + "' is attached to another; detach it first");
  for (const Twist* twist : {&body.twist, &body.told})
    if (!is_finite(twist->v) || !is_finite(twist->w)) return fail(ErrorCode::kInvalid, "a twist holds NaN or infinity");
  if (body.tail.size() != tail_size(model_of(slot)))
    return fail(ErrorCode::kInvalid, "the state has " + std::to_string(body.tail.size()) + " numbers of joints, not " +
                                         std::to_string(tail_size(model_of(slot))));
  for (double value : body.tail)
    if (!std::isfinite(value)) return fail(ErrorCode::kInvalid, "a joint's number is NaN or infinity");
  if (body.told_for < Duration(0) || body.told_for > kLongestTold)
    return fail(ErrorCode::kInvalid, "a command rules for a day at most");
  return check_pose(body.pose);
}

void World::put_body(const PutBody& body, Instant now) {
  const Slot slot = slot_of(body.entity);
  State& state = snapshot_.state(slot);
  state.pose = body.pose, state.twist = body.twist, state.stamp = now;
  ++state.discontinuity;
  make_canonical(state);
  std::transform(body.tail.begin(), body.tail.end(), snapshot_.tail(slot).begin(), canonical);
  put_child_poses(slot, now);
}

}  // namespace convoy
