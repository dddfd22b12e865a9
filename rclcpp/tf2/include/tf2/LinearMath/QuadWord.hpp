// QuadWord stands with the quaternion.
#pragma once
#include "tf2/LinearMath/Quaternion.hpp"
