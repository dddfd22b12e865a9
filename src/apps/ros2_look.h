// convoy topic, node, service and param with --ros2: of whoever is in a domain of ROS 2, without ROS.
#pragma once

#include "apps/arguments.h"

namespace convoy::apps {

int ros2_topic_list(const Arguments& arguments);
int ros2_topic_info(const Arguments& arguments);
int ros2_topic_echo(const Arguments& arguments);
int ros2_topic_hz(const Arguments& arguments);
int ros2_topic_bw(const Arguments& arguments);
int ros2_topic_pub(const Arguments& arguments);
int ros2_node_list(const Arguments& arguments);
int ros2_node_info(const Arguments& arguments);
int ros2_service_list(const Arguments& arguments);
int ros2_service_call(const Arguments& arguments);
int ros2_param_list(const Arguments& arguments);
int ros2_param_get(const Arguments& arguments);
int ros2_param_set(const Arguments& arguments);

}  // namespace convoy::apps
