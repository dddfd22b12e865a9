// The services of a robot client: what a program asks of the whole run through it.
#pragma once

#include <memory>
#include <vector>

#include "adapters/ros2/robot_door.h"

namespace convoy::ros2 {

// In the node's namespace, as long as they are kept; `here` and the node outlive them.
//
// Those of Rapyuta's simulator (ue_msgs): SpawnEntity, SpawnEntities, DeleteEntity, GetEntityState, SetEntityState, Attach.
// Unlike there a reply says what has happened, after it has.
std::vector<std::unique_ptr<Service>> ue_services(DoorHere& here, Node& node);

}  // namespace convoy::ros2
