// There is no service of type descriptions. The type exists for code that passes it on.
#pragma once

#include "rclcpp/macros.hpp"

namespace rclcpp::node_interfaces {

class NodeTypeDescriptionsInterface {
 public:
  RCLCPP_SMART_PTR_ALIASES_ONLY(NodeTypeDescriptionsInterface)
};

}  // namespace rclcpp::node_interfaces
