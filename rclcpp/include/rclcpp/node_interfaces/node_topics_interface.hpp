// What publishers and subscriptions need of a node (rclcpp/create_publisher.hpp, rclcpp/create_subscription.hpp).
#pragma once

#include "rclcpp/node_interfaces/node_base_interface.hpp"

namespace rclcpp::node_interfaces {

class NodeTimersInterface;

class NodeTopicsInterface {
 public:
  RCLCPP_SMART_PTR_ALIASES_ONLY(NodeTopicsInterface)
  NodeTopicsInterface(NodeBaseInterface::SharedPtr base, NodeTimersInterface* timers)
      : base_(std::move(base)), timers_(timers) {}
  std::string resolve_topic_name(const std::string& name, bool only_expand = false) const {
    return base_->resolve_topic_or_service_name(name, false, only_expand);
  }
  NodeBaseInterface* get_node_base_interface() const { return base_.get(); }
  NodeTimersInterface* get_node_timers_interface() const { return timers_; }

 private:
  NodeBaseInterface::SharedPtr base_;
  NodeTimersInterface* timers_;
};

}  // namespace rclcpp::node_interfaces
