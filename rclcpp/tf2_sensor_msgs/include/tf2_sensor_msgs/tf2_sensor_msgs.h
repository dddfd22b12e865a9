// The older name.
#pragma once
#include "tf2_sensor_msgs/tf2_sensor_msgs.hpp"
