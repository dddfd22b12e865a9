// convoy sweep: many runs of one scenario, and what they came to.
#pragma once

#include "apps/arguments.h"

namespace convoy::apps {

int sweep_run(const Arguments& arguments);
int sweep_show(const Arguments& arguments);

}  // namespace convoy::apps
