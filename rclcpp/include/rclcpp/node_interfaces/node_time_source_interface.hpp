// Every clock shows simulated time already. The type exists for code that passes it on.
#pragma once

#include "rclcpp/macros.hpp"

namespace rclcpp::node_interfaces {

class NodeTimeSourceInterface {
 public:
  RCLCPP_SMART_PTR_ALIASES_ONLY(NodeTimeSourceInterface)
};

}  // namespace rclcpp::node_interfaces
