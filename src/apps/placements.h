// convoy check --placements: the same scenario placed in several ways, each in processes of its own.
#pragma once

#include "apps/arguments.h"

namespace convoy::apps {

// Prints a digest for each placement, and the first tick, entity and field in which two differ. An exit code.
int check_placements(const Arguments& arguments);

}  // namespace convoy::apps
