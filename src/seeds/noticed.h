// How a planted bug shows itself in seeds: another failure is one that nobody has planted.
#pragma once

#include <string>

#include "testing/cluster.h"

namespace convoy::testing {

bool shows(Planted bug, const std::string& failure);

}  // namespace convoy::testing
