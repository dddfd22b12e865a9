// Video of a run for browsers: convoy viewer draws and encodes it, convoy signaling introduces browsers to it.
#pragma once

#include "apps/arguments.h"

namespace convoy::apps {

int viewer(const Arguments& arguments);
int signaling(const Arguments& arguments);

}  // namespace convoy::apps
