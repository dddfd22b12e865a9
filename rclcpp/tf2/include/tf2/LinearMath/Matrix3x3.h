// The older name of the header.
#pragma once
#include "tf2/LinearMath/Matrix3x3.hpp"
