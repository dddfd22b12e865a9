// convoy job of a build without the ROS interface packages.
#include "apps/arguments.h"

namespace convoy::apps {

int job(const Arguments&) {
  return complain("this build has no nodes: build it with CONVOY_ROS=ON for convoy job", kUsage);
}

}  // namespace convoy::apps
