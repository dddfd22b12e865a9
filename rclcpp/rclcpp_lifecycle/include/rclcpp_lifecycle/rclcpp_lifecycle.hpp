// All of rclcpp_lifecycle.
#pragma once
#include "rclcpp_lifecycle/lifecycle_node.hpp"
