// rclcpp::Node: a node of the simulation that is current on this thread.
#pragma once

#include "rclcpp/node_functions.hpp"

namespace rclcpp {

class Node : public detail::NodeFunctions, public std::enable_shared_from_this<Node> {
 public:
  RCLCPP_SMART_PTR_DEFINITIONS(Node)
  explicit Node(const std::string& name, const NodeOptions& options = NodeOptions()) : Node(name, "", options) {}
  Node(const std::string& name, const std::string& space, const NodeOptions& options = NodeOptions())
      : NodeFunctions(name, space, options) {}
  ~Node() override;

  // The same node; what it makes has names in that namespace below the node's own.
  Node::SharedPtr create_sub_node(const std::string& sub_namespace);

 protected:
  Node(const Node& other, const std::string& sub_namespace)
      : NodeFunctions(other, sub_namespace), std::enable_shared_from_this<Node>() {}
};

}  // namespace rclcpp
