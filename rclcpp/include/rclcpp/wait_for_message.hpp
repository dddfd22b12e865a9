// Waits, in simulated time, for one message of a topic.
#pragma once

#include "rclcpp/node.hpp"
#include "rclcpp/wait_set.hpp"

namespace rclcpp {

// A time below 0: without an end. The subscription is in a callback group that no executor spins (wait_set.hpp).
template <class MessageT, class Rep = std::int64_t, class Period = std::milli>
bool wait_for_message(MessageT& out, std::shared_ptr<Subscription<MessageT>> subscription, Context::SharedPtr,
                      std::chrono::duration<Rep, Period> time = std::chrono::duration<Rep, Period>(-1)) {
  WaitSet waits;
  waits.add_subscription(subscription);
  MessageInfo info;
  const auto result = waits.wait(time);
  return result.kind() == WaitResultKind::Ready && subscription->take(out, info);
}
template <class MessageT, class Rep = std::int64_t, class Period = std::milli>
bool wait_for_message(MessageT& out, Node::SharedPtr node, const std::string& topic,
                      std::chrono::duration<Rep, Period> time = std::chrono::duration<Rep, Period>(-1),
                      const QoS& qos = SystemDefaultsQoS()) {
  SubscriptionOptions options;
  options.callback_group = node->create_callback_group(CallbackGroupType::MutuallyExclusive, false);
  auto subscription = node->create_subscription<MessageT>(
      topic, qos, [](std::shared_ptr<const MessageT>) {}, options);
  return wait_for_message(out, subscription, nullptr, time);
}

}  // namespace rclcpp
