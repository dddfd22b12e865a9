// convoy plot --movie: a recorded run as a film.
#pragma once

#include "apps/arguments.h"

namespace convoy::apps {

int movie(const Arguments& arguments);

}  // namespace convoy::apps
