// A build without the door to ROS 2, or without ZeroMQ.
#include "apps/prepare.h"

namespace convoy::apps {

int ros2_bridge(const Arguments&) {
  return complain("this build has no bridge: cmake -DCONVOY_ROS2=ON -DCONVOY_ZMQ=ON makes one", kUsage);
}

}  // namespace convoy::apps
