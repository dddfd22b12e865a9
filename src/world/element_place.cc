#include "world/element_place.h"

namespace convoy {

std::optional<Pose> place_of(const ElementReach& reach, const World& world, const PoseOf& pose_of) {
  if (reach.parent.empty()) return reach.pose;
  const Slot parent = world.find(reach.parent);
  if (parent == kNoSlot) return std::nullopt;
  return pose_of(parent) * reach.pose.value_or(Pose{});
}

}  // namespace convoy
