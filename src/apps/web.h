// The page server: convoy web, and what launch starts for --web.
#pragma once

#include "apps/arguments.h"

namespace convoy::apps {

// convoy web
int web(const Arguments& arguments);

}  // namespace convoy::apps
