// rclcpp::create_subscription<Twist>(node, "cmd_vel", 10, callback): over anything that has the interface for topics.
#pragma once

#include "rclcpp/create_publisher.hpp"
#include "rclcpp/subscription.hpp"

namespace rclcpp {
namespace detail {

inline convoy::nodes::CallbackGroup* kernel_of(const CallbackGroup::SharedPtr& group) {
  return group ? &group->kernel() : nullptr;
}

template <class MessageT, class AllocatorT, class SubscriptionT, class CallbackT>
std::shared_ptr<SubscriptionT> make_subscription(node_interfaces::NodeParametersInterface* parameters,
                                                 const node_interfaces::NodeTopicsInterface& topics,
                                                 const std::string& topic, const QoS& given, CallbackT&& callback,
                                                 const SubscriptionOptionsWithAllocator<AllocatorT>& options) {
  using Callback = std::decay_t<CallbackT>;
  QoS qos = given;
  if (!options.qos_overriding_options.get_policy_kinds().empty())
    qos = declare_overrides(options.qos_overriding_options, parameters, topics.resolve_topic_name(topic), qos, false);
  const auto& node = *topics.get_node_base_interface();
  const auto& events = options.event_callbacks;
  auto made = node.kernel().create_subscription(
      {.topic = topic,
       .type = &convoy::ros::MessageTypeOf<RosType<MessageT>>::instance(),
       .qos = qos.requested(),
       .takes_ownership = CallbackShape<Callback, MessageT>::owns,
       .group = kernel_of(options.callback_group),
       .callback =
           [simulation = &node.simulation(), who = &node.about("topic", topic),
            call = Callback(std::forward<CallbackT>(callback))](convoy::nodes::Delivery& d) mutable {
             simulation->guarded(*who, [&] { deliver<MessageT>(call, d); });
           },
       .on_match = match_listener(node, topic, options.callback_group, events.matched_callback,
                                  events.incompatible_qos_callback)});
  if (!made) throw_create(made.error(), "topic", topic);
  return std::make_shared<SubscriptionT>(std::move(*made), qos);
}

}  // namespace detail

template <class MessageT, class CallbackT, class AllocatorT = std::allocator<void>,
          class SubscriptionT = Subscription<MessageT, AllocatorT>, class NodeT>
std::shared_ptr<SubscriptionT> create_subscription(NodeT&& node, const std::string& topic, const QoS& qos,
                                                   CallbackT&& callback,
                                                   const SubscriptionOptionsWithAllocator<AllocatorT>& options = {}) {
  const auto topics = node_interfaces::get_node_topics_interface(node);
  std::shared_ptr<node_interfaces::NodeParametersInterface> parameters;
  if constexpr (node_interfaces::has_parameters_interface<std::remove_cvref_t<NodeT>>)
    parameters = node_interfaces::get_node_parameters_interface(node);
  return detail::make_subscription<MessageT, AllocatorT, SubscriptionT>(parameters.get(), *topics, topic, qos,
                                                                        std::forward<CallbackT>(callback), options);
}
template <class MessageT, class CallbackT, class AllocatorT = std::allocator<void>,
          class SubscriptionT = Subscription<MessageT, AllocatorT>>
std::shared_ptr<SubscriptionT> create_subscription(
    const node_interfaces::NodeParametersInterface::SharedPtr& parameters,
    const node_interfaces::NodeTopicsInterface::SharedPtr& topics, const std::string& topic, const QoS& qos,
    CallbackT&& callback, const SubscriptionOptionsWithAllocator<AllocatorT>& options = {}) {
  return detail::make_subscription<MessageT, AllocatorT, SubscriptionT>(parameters.get(), *topics, topic, qos,
                                                                        std::forward<CallbackT>(callback), options);
}

}  // namespace rclcpp
