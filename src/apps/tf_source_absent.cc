// A build without the door to ROS 2.
#include "apps/prepare.h"
#include "apps/tf_source.h"

namespace convoy::apps {

int listen_ros2(const Arguments&, const TakeFrames&, const std::function<bool()>&) {
  return complain("this build has no door to ROS 2: cmake -DCONVOY_ROS2=ON makes one", kUsage);
}

}  // namespace convoy::apps
