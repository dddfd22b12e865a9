// A build without the door to ROS 2, or without interface packages.
#include "apps/prepare.h"
#include "apps/ros2_look.h"

namespace convoy::apps {

namespace {

int none() {
  return complain("this build cannot look at a domain of ROS 2: cmake -DCONVOY_ROS=ON -DCONVOY_ROS2=ON", kUsage);
}

}  // namespace

int ros2_topic_list(const Arguments&) { return none(); }
int ros2_topic_info(const Arguments&) { return none(); }
int ros2_topic_echo(const Arguments&) { return none(); }
int ros2_topic_hz(const Arguments&) { return none(); }
int ros2_topic_bw(const Arguments&) { return none(); }
int ros2_topic_pub(const Arguments&) { return none(); }
int ros2_node_list(const Arguments&) { return none(); }
int ros2_node_info(const Arguments&) { return none(); }
int ros2_service_list(const Arguments&) { return none(); }
int ros2_service_call(const Arguments&) { return none(); }
int ros2_param_list(const Arguments&) { return none(); }
int ros2_param_get(const Arguments&) { return none(); }
int ros2_param_set(const Arguments&) { return none(); }
int ros2_record(const Arguments&) { return none(); }

}  // namespace convoy::apps
