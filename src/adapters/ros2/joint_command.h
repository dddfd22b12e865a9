// Commands of joints as sensor_msgs/JointState has them, for a robot's actuators.
#pragma once

#include <optional>
#include <sensor_msgs/msg/joint_state.hpp>
#include <string_view>
#include <vector>

#include "adapters/ros2/door_here.h"

namespace convoy::ros2 {

// The actuator of that name, or the one that drives the joint of that name; nothing: there is none.
std::optional<std::uint32_t> actuator_of(const Panel& panel, std::string_view joint_or_actuator);

// Of each joint that is named the position (rad or m), else the velocity, else the effort: whichever array is not empty is
// what its actuator gets. Names without an actuator are left out and counted. Nothing, and it is counted: an array has
// another length than the names, or a number of those that would be taken is not finite.
std::optional<std::vector<Control>> controls_of(const sensor_msgs::msg::JointState& message, const Panel& panel,
                                                DoorCounts& counts);

}  // namespace convoy::ros2
