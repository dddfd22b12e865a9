// Something that has happened, to be checked later: rclcpp::Event; that of a node (Node::get_graph_event) is set by
// each change of the graph: nodes, publishers, subscriptions, services and clients.
#pragma once

#include <cstdint>

#include "rclcpp/macros.hpp"

namespace rclcpp {
namespace node_interfaces {
class NodeBaseInterface;
class NodeGraphInterface;
}  // namespace node_interfaces

class Event {
 public:
  RCLCPP_SMART_PTR_DEFINITIONS(Event)
  void set() { set_ = true; }
  bool check() const { return set_ || changes() != seen_; }
  bool check_and_clear() {
    const bool was = check();
    set_ = false, seen_ = changes();
    return was;
  }

 private:
  friend class node_interfaces::NodeGraphInterface;
  std::uint64_t changes() const;  // of the graph; what was seen last if it is none's or its node is gone

  std::weak_ptr<node_interfaces::NodeBaseInterface> node_;
  std::uint64_t seen_ = 0;
  bool set_ = false;
};

}  // namespace rclcpp
