// The name of the header in ROS 2.
#pragma once
#include "rclcpp_action/client.hpp"
