// What timers need of a node (rclcpp/create_timer.hpp).
#pragma once

#include "rclcpp/node_interfaces/node_base_interface.hpp"
#include "rclcpp/timer.hpp"

namespace rclcpp::node_interfaces {

class NodeTimersInterface {
 public:
  RCLCPP_SMART_PTR_ALIASES_ONLY(NodeTimersInterface)
  explicit NodeTimersInterface(NodeBaseInterface::SharedPtr base) : base_(std::move(base)) {}
  NodeBaseInterface* get_node_base_interface() const { return base_.get(); }
  // Of the group, or of the node's own. std::runtime_error: the group is of another node; std::invalid_argument: the timer
  // is of a node already.
  void add_timer(TimerBase::SharedPtr timer, CallbackGroup::SharedPtr group = nullptr) {
    if (group && !base_->callback_group_in_node(group))
      throw std::runtime_error("Cannot create timer, group not in node.");
    timer->join(*base_, group);
  }

 private:
  NodeBaseInterface::SharedPtr base_;
};

}  // namespace rclcpp::node_interfaces
