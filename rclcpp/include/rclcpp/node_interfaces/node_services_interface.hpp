// What services and clients need of a node (rclcpp/create_service.hpp, rclcpp/create_client.hpp).
#pragma once

#include "rclcpp/node_interfaces/node_base_interface.hpp"

namespace rclcpp::node_interfaces {

class NodeServicesInterface {
 public:
  RCLCPP_SMART_PTR_ALIASES_ONLY(NodeServicesInterface)
  explicit NodeServicesInterface(NodeBaseInterface::SharedPtr base) : base_(std::move(base)) {}
  std::string resolve_service_name(const std::string& name, bool only_expand = false) const {
    return base_->resolve_topic_or_service_name(name, true, only_expand);
  }
  NodeBaseInterface* get_node_base_interface() const { return base_.get(); }

 private:
  NodeBaseInterface::SharedPtr base_;
};

}  // namespace rclcpp::node_interfaces
