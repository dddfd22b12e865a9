// convoy node PACKAGE EXECUTABLE: a program of a ROS package, as `ros2 run` begins it.
#pragma once

#include "apps/arguments.h"

namespace convoy::apps {

// Becomes the program; returns if it cannot.
int node_run(const Arguments& a);

}  // namespace convoy::apps
