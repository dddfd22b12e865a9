// Video of a run for browsers: convoy viewer draws and encodes it, convoy signaling introduces browsers to it.
#pragma once

#include <optional>

#include "apps/arguments.h"

namespace convoy::apps {

int viewer(const Arguments& arguments);
int signaling(const Arguments& arguments);
// What convoy viewer lacks here: of this build, or of GStreamer. Nothing: it has all that it loads.
std::optional<Error> video_lacks();

}  // namespace convoy::apps
