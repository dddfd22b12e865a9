// A build without films.
#include "apps/movie.h"

namespace convoy::apps {

int movie(const Arguments&) {
  return complain("this build makes no films: build it with CONVOY_RENDER=ON and libvpx for convoy plot --movie",
                  kUsage);
}

}  // namespace convoy::apps
