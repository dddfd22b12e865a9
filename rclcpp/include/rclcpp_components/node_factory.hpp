// The header of ROS 2 by this name: all of it is one here.
#pragma once
#include "rclcpp_components/register_node_macro.hpp"
