// The name of the header in ROS 2.
#pragma once
#include "rclcpp/node_interfaces/get_node_interfaces.hpp"
