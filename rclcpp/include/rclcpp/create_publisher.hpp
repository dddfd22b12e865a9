// rclcpp::create_publisher<Twist>(node, "cmd_vel", 10): over anything that has the interface for topics.
#pragma once

#include "rclcpp/node_interfaces/get_node_interfaces.hpp"
#include "rclcpp/publisher.hpp"

namespace rclcpp {
namespace detail {

[[noreturn]] void throw_create(const convoy::Error& error, const char* what, const std::string& name);

template <class MessageT, class AllocatorT, class PublisherT>
std::shared_ptr<PublisherT> make_publisher(node_interfaces::NodeParametersInterface* parameters,
                                           const node_interfaces::NodeTopicsInterface& topics, const std::string& topic,
                                           const QoS& given, const PublisherOptionsWithAllocator<AllocatorT>& options) {
  QoS qos = given;
  if (!options.qos_overriding_options.get_policy_kinds().empty())
    qos = declare_overrides(options.qos_overriding_options, parameters, topics.resolve_topic_name(topic), qos, true);
  const auto& node = *topics.get_node_base_interface();
  const auto& events = options.event_callbacks;
  auto made = node.kernel().create_publisher(
      {.topic = topic,
       .type = &convoy::ros::MessageTypeOf<RosType<MessageT>>::instance(),
       .qos = qos.offered(),
       .on_match = match_listener(node, topic, options.callback_group, events.matched_callback,
                                  events.incompatible_qos_callback)});
  if (!made) throw_create(made.error(), "topic", topic);
  return std::make_shared<PublisherT>(std::move(*made), qos);
}

}  // namespace detail

template <class MessageT, class AllocatorT = std::allocator<void>, class PublisherT = Publisher<MessageT, AllocatorT>,
          class NodeT>
std::shared_ptr<PublisherT> create_publisher(NodeT&& node, const std::string& topic, const QoS& qos,
                                             const PublisherOptionsWithAllocator<AllocatorT>& options = {}) {
  const auto topics = node_interfaces::get_node_topics_interface(node);
  std::shared_ptr<node_interfaces::NodeParametersInterface> parameters;
  if constexpr (node_interfaces::has_parameters_interface<std::remove_cvref_t<NodeT>>)
    parameters = node_interfaces::get_node_parameters_interface(node);
  return detail::make_publisher<MessageT, AllocatorT, PublisherT>(parameters.get(), *topics, topic, qos, options);
}
template <class MessageT, class AllocatorT = std::allocator<void>, class PublisherT = Publisher<MessageT, AllocatorT>>
std::shared_ptr<PublisherT> create_publisher(const node_interfaces::NodeParametersInterface::SharedPtr& parameters,
                                             const node_interfaces::NodeTopicsInterface::SharedPtr& topics,
                                             const std::string& topic, const QoS& qos,
                                             const PublisherOptionsWithAllocator<AllocatorT>& options = {}) {
  return detail::make_publisher<MessageT, AllocatorT, PublisherT>(parameters.get(), *topics, topic, qos, options);
}

}  // namespace rclcpp
