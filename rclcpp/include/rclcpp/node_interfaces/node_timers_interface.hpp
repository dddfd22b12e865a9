// What timers need of a node (rclcpp/create_timer.hpp).
#pragma once

#include "rclcpp/node_interfaces/node_base_interface.hpp"

namespace rclcpp::node_interfaces {

class NodeTimersInterface {
 public:
  RCLCPP_SMART_PTR_ALIASES_ONLY(NodeTimersInterface)
  explicit NodeTimersInterface(NodeBaseInterface::SharedPtr base) : base_(std::move(base)) {}
  NodeBaseInterface* get_node_base_interface() const { return base_.get(); }

 private:
  NodeBaseInterface::SharedPtr base_;
};

}  // namespace rclcpp::node_interfaces
