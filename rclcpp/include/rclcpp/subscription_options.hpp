// The header of this name in ROS 2; both kinds of options are in one file here.
#pragma once
#include "rclcpp/publisher_options.hpp"
