// Some interfaces of a node in one value, which a function can take instead of the node, whatever its class.
//
//   void listen(NodeInterfaces<NodeBaseInterface, NodeTopicsInterface> node);      listen(*node);
#pragma once

#include <tuple>

#include "rclcpp/node_interfaces/get_node_interfaces.hpp"

#define ALL_RCLCPP_NODE_INTERFACES                                                                          \
  rclcpp::node_interfaces::NodeBaseInterface, rclcpp::node_interfaces::NodeClockInterface,                  \
      rclcpp::node_interfaces::NodeGraphInterface, rclcpp::node_interfaces::NodeLoggingInterface,           \
      rclcpp::node_interfaces::NodeParametersInterface, rclcpp::node_interfaces::NodeServicesInterface,     \
      rclcpp::node_interfaces::NodeTimeSourceInterface, rclcpp::node_interfaces::NodeTimersInterface,       \
      rclcpp::node_interfaces::NodeTopicsInterface, rclcpp::node_interfaces::NodeTypeDescriptionsInterface, \
      rclcpp::node_interfaces::NodeWaitablesInterface

namespace rclcpp::node_interfaces {
namespace detail {

// What a set of interfaces has for one of them: get_node_..._interface().
template <class Set, class Interface>
struct Named;
#define RCLCPP_DETAIL_NAMED(name, Type)                                                   \
  template <class Set>                                                                    \
  struct Named<Set, Type> {                                                               \
    std::shared_ptr<Type> get_node_##name##_interface() const {                           \
      return static_cast<const Set*>(this)->template get<Type>();                         \
    }                                                                                     \
    template <class NodeT>                                                                \
    requires has_##name##_interface<NodeT> static std::shared_ptr<Type> of(NodeT& node) { \
      return node_interfaces::get_node_##name##_interface(node);                          \
    }                                                                                     \
  };
RCLCPP_DETAIL_NAMED(base, NodeBaseInterface)
RCLCPP_DETAIL_NAMED(clock, NodeClockInterface)
RCLCPP_DETAIL_NAMED(graph, NodeGraphInterface)
RCLCPP_DETAIL_NAMED(logging, NodeLoggingInterface)
RCLCPP_DETAIL_NAMED(parameters, NodeParametersInterface)
RCLCPP_DETAIL_NAMED(services, NodeServicesInterface)
RCLCPP_DETAIL_NAMED(time_source, NodeTimeSourceInterface)
RCLCPP_DETAIL_NAMED(timers, NodeTimersInterface)
RCLCPP_DETAIL_NAMED(topics, NodeTopicsInterface)
RCLCPP_DETAIL_NAMED(type_descriptions, NodeTypeDescriptionsInterface)
RCLCPP_DETAIL_NAMED(waitables, NodeWaitablesInterface)
#undef RCLCPP_DETAIL_NAMED

}  // namespace detail

template <class... Interfaces>
class NodeInterfaces : public detail::Named<NodeInterfaces<Interfaces...>, Interfaces>... {
 public:
  NodeInterfaces() = default;
  // A node, or another set that has these and more.
  template <class NodeT>
  requires(!std::is_same_v<std::remove_cv_t<NodeT>, NodeInterfaces> &&
           requires(NodeT & node) { (detail::Named<NodeInterfaces, Interfaces>::of(node), ...); })
      NodeInterfaces(NodeT& node)  // NOLINT: implicit, as there
      : interfaces_(detail::Named<NodeInterfaces, Interfaces>::of(node)...) {}
  template <class NodeT>
  requires requires(NodeT& node) { (detail::Named<NodeInterfaces, Interfaces>::of(node), ...); }
  NodeInterfaces(const std::shared_ptr<NodeT>& node)  // NOLINT: implicit, as there
      : NodeInterfaces(*node) {}
  explicit NodeInterfaces(std::shared_ptr<Interfaces>... interfaces) : interfaces_(std::move(interfaces)...) {}

  template <class Interface>
  std::shared_ptr<Interface> get() const {
    return std::get<std::shared_ptr<Interface>>(interfaces_);
  }

 private:
  std::tuple<std::shared_ptr<Interfaces>...> interfaces_;
};

}  // namespace rclcpp::node_interfaces
