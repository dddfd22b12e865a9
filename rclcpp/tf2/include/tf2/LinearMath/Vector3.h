// The older name of the header.
#pragma once
#include "tf2/LinearMath/Vector3.hpp"
