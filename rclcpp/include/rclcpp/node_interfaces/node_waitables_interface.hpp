// There are no waitables here: what would be one is an event of the graph. The name is there for those who pass it on.
#pragma once

#include "rclcpp/macros.hpp"

namespace rclcpp::node_interfaces {

class NodeWaitablesInterface {
 public:
  RCLCPP_SMART_PTR_ALIASES_ONLY(NodeWaitablesInterface)
};

}  // namespace rclcpp::node_interfaces
