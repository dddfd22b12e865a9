// The name of the header in ROS 2.
#pragma once
#include "tf2_ros/buffer.hpp"
