// The older name of the header.
#pragma once
#include "tf2/transform_datatypes.hpp"
