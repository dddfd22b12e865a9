// The types of every package in msgs/, for tests.
#pragma once

#include "convoy_ros_types/type_support.h"

namespace convoy::ros {

Types all_types();

}  // namespace convoy::ros
