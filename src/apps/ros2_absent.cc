// A build without the door to ROS 2.
#include "apps/ros2.h"

namespace convoy::apps {

Result<std::vector<std::unique_ptr<Gateway>>> open_ros2(std::span<const Ros2Arguments>, Log&) {
  return fail(ErrorCode::kUnsupported, "this build has no door to ROS 2 (CONVOY_ROS2)");
}

}  // namespace convoy::apps
