// The older name of the header.
#pragma once
#include "tf2_geometry_msgs/tf2_geometry_msgs.hpp"
