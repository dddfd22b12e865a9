// A build without the page server.
#include "apps/web.h"

namespace convoy::apps {

int web(const Arguments&) { return complain("this build has no page server (CONVOY_WEB=OFF)", kFailed); }

}  // namespace convoy::apps
