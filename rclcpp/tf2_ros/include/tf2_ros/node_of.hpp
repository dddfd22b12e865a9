// A node as it is given to tf2_ros: by pointer or by reference.
#pragma once

#include <memory>

#include "rclcpp/node.hpp"

namespace tf2_ros::detail {

// As rclcpp::Node, so that a node of another kind makes ordinary publishers.
inline rclcpp::Node& node_of(rclcpp::Node& node) { return node; }
inline rclcpp::Node& node_of(rclcpp::Node* node) { return *node; }
template <class NodeT>
rclcpp::Node& node_of(const std::shared_ptr<NodeT>& node) {
  return *node;
}

}  // namespace tf2_ros::detail
