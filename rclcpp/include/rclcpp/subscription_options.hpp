// The header of this name in ROS 2; both kinds of options stand in one file here.
#pragma once
#include "rclcpp/publisher_options.hpp"
