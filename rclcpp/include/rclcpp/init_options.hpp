// Where ROS 2 has it; it is in rclcpp/context.hpp.
#pragma once

#include "rclcpp/context.hpp"
