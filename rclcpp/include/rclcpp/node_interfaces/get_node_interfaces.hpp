// An interface of anything that has it: get_node_topics_interface(node) of a node, of a pointer to one, of a
// NodeInterfaces<...>, or of the interface itself.
#pragma once

#include <memory>
#include <type_traits>

#include "rclcpp/node_interfaces/node_base_interface.hpp"
#include "rclcpp/node_interfaces/node_clock_interface.hpp"
#include "rclcpp/node_interfaces/node_graph_interface.hpp"
#include "rclcpp/node_interfaces/node_logging_interface.hpp"
#include "rclcpp/node_interfaces/node_parameters_interface.hpp"
#include "rclcpp/node_interfaces/node_services_interface.hpp"
#include "rclcpp/node_interfaces/node_time_source_interface.hpp"
#include "rclcpp/node_interfaces/node_timers_interface.hpp"
#include "rclcpp/node_interfaces/node_topics_interface.hpp"
#include "rclcpp/node_interfaces/node_type_descriptions_interface.hpp"
#include "rclcpp/node_interfaces/node_waitables_interface.hpp"

namespace rclcpp::node_interfaces {

// has_<name>_interface<NodeT>, get_node_<name>_interface(node)
#define RCLCPP_DETAIL_INTERFACE(name, Type)                                                                           \
  template <class NodeT>                                                                                              \
  inline constexpr bool has_##name##_interface =                                                                      \
      std::is_convertible_v<const NodeT&, std::shared_ptr<Type>> || requires(NodeT & node) {                          \
    node->get_node_##name##_interface();                                                                              \
  }                                                                                                                   \
  || requires(NodeT & node) { node.get_node_##name##_interface(); };                                                  \
  template <class NodeT>                                                                                              \
  requires has_##name##_interface<std::remove_cvref_t<NodeT>> std::shared_ptr<Type> get_node_##name##_interface(      \
      NodeT&& node) {                                                                                                 \
    if constexpr (std::is_convertible_v<const std::remove_cvref_t<NodeT>&, std::shared_ptr<Type>>) return node;       \
    else if constexpr (requires { node->get_node_##name##_interface(); }) return node->get_node_##name##_interface(); \
    else return node.get_node_##name##_interface();                                                                   \
  }
RCLCPP_DETAIL_INTERFACE(base, NodeBaseInterface)
RCLCPP_DETAIL_INTERFACE(clock, NodeClockInterface)
RCLCPP_DETAIL_INTERFACE(graph, NodeGraphInterface)
RCLCPP_DETAIL_INTERFACE(logging, NodeLoggingInterface)
RCLCPP_DETAIL_INTERFACE(parameters, NodeParametersInterface)
RCLCPP_DETAIL_INTERFACE(services, NodeServicesInterface)
RCLCPP_DETAIL_INTERFACE(time_source, NodeTimeSourceInterface)
RCLCPP_DETAIL_INTERFACE(timers, NodeTimersInterface)
RCLCPP_DETAIL_INTERFACE(topics, NodeTopicsInterface)
RCLCPP_DETAIL_INTERFACE(type_descriptions, NodeTypeDescriptionsInterface)
RCLCPP_DETAIL_INTERFACE(waitables, NodeWaitablesInterface)
#undef RCLCPP_DETAIL_INTERFACE

}  // namespace rclcpp::node_interfaces
