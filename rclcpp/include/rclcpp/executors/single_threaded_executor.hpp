// Where ROS 2 has it; it is in rclcpp/executors.hpp.
#pragma once

#include "rclcpp/executors.hpp"
