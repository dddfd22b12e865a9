// Gives waitables to the executor of a node (rclcpp/waitable.hpp).
#pragma once

#include "rclcpp/node_interfaces/node_base_interface.hpp"
#include "rclcpp/waitable.hpp"

namespace rclcpp::node_interfaces {

class NodeWaitablesInterface {
 public:
  RCLCPP_SMART_PTR_ALIASES_ONLY(NodeWaitablesInterface)
  explicit NodeWaitablesInterface(NodeBaseInterface::SharedPtr base) : base_(std::move(base)) {}
  NodeWaitablesInterface(const NodeWaitablesInterface&) = delete;
  NodeWaitablesInterface& operator=(const NodeWaitablesInterface&) = delete;
  ~NodeWaitablesInterface();
  // In the node's own group if none is given; std::runtime_error: a group of another node. The caller keeps it alive.
  void add_waitable(Waitable::SharedPtr waitable, CallbackGroup::SharedPtr group);
  void remove_waitable(Waitable::SharedPtr waitable, CallbackGroup::SharedPtr group) noexcept;

 private:
  NodeBaseInterface::SharedPtr base_;
  bool used_ = false;
};

}  // namespace rclcpp::node_interfaces
