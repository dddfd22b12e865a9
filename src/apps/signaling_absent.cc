// A build without the page server.
#include "apps/stream.h"

namespace convoy::apps {

int signaling(const Arguments&) { return complain("this build has no signaling server (CONVOY_WEB=OFF)", kFailed); }

}  // namespace convoy::apps
