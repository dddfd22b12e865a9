// A build without the door to ROS 2.
#include "apps/prepare.h"
#include "apps/ros2.h"

namespace convoy::apps {

Result<std::vector<std::unique_ptr<Gateway>>> open_ros2(std::span<const Ros2Arguments>, UsersSensors&, Log&) {
  return fail(ErrorCode::kUnsupported, "this build has no door to ROS 2: cmake -DCONVOY_ROS2=ON makes one");
}

Result<std::string> ros2_place(const Ros2Arguments&) {
  return fail(ErrorCode::kUnsupported, "this build has no door to ROS 2: cmake -DCONVOY_ROS2=ON makes one");
}

int doctor_ros(const Arguments&) {
  return complain("this build has no door to ROS 2: cmake -DCONVOY_ROS2=ON makes one", kUsage);
}

int ros2_random_spawn(const Arguments& arguments) { return doctor_ros(arguments); }

}  // namespace convoy::apps
