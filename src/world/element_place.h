// Where an element is in the world.
#pragma once

#include <functional>
#include <optional>

#include "world/element.h"
#include "world/world.h"

namespace convoy {

using PoseOf = std::function<Pose(Slot)>;  // of an entity now

// Nothing: it has no place, or the entity that carries it is not there.
std::optional<Pose> place_of(const ElementReach& reach, const World& world, const PoseOf& pose_of);

}  // namespace convoy
