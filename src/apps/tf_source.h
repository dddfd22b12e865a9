// Messages of frames from a domain of ROS 2.
#pragma once

#include <functional>
#include <string>
#include <tf2_msgs/msg/tf_message.hpp>

#include "apps/arguments.h"

namespace convoy::apps {

// `by`: the node or robot that told; may be empty.
using TakeFrames = std::function<void(const tf2_msgs::msg::TFMessage& message, bool is_static, const std::string& by)>;
// Until that is enough, or Ctrl-C; an exit code.
int listen_ros2(const Arguments& a, const TakeFrames& take, const std::function<bool()>& enough);

}  // namespace convoy::apps
