// Which symbols a component library shows: all of them.
#pragma once
#include "rclcpp/macros.hpp"
