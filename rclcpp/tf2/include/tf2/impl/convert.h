// The older name of the header.
#pragma once

#include "tf2/impl/convert.hpp"
