// QuadWord is in the header of the quaternion.
#pragma once
#include "tf2/LinearMath/Quaternion.hpp"
