// A build without video.
#include "apps/stream.h"

namespace convoy::apps {

int viewer(const Arguments&) {
  return complain("this build streams no video (CONVOY_STREAM=OFF, or GStreamer or libvpx is missing)", kFailed);
}

}  // namespace convoy::apps
