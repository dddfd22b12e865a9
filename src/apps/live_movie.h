// convoy viewer --movie: a run as a film, while it goes on.
#pragma once

#include "apps/arguments.h"

namespace convoy::apps {

int live_movie(const Arguments& arguments);

}  // namespace convoy::apps
