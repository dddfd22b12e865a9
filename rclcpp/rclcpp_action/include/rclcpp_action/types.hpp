// Goals' ids, states and errors.
#pragma once

#include <action_msgs/msg/goal_info.hpp>
#include <action_msgs/msg/goal_status_array.hpp>
#include <action_msgs/srv/cancel_goal.hpp>

#include <array>
#include <stdexcept>
#include <string>

#include "rclcpp/node.hpp"

struct rcl_action_server_options_t {
  struct {
    std::int64_t nanoseconds = 10'000'000'000;
  } result_timeout;  // results of finished goals are kept for so long; below 0: for ever
};
struct rcl_action_client_options_t {};
inline rcl_action_server_options_t rcl_action_server_get_default_options() { return {}; }
inline rcl_action_client_options_t rcl_action_client_get_default_options() { return {}; }

namespace rclcpp_action {

using GoalUUID = std::array<std::uint8_t, 16>;
using GoalInfo = action_msgs::msg::GoalInfo;
using GoalStatus = action_msgs::msg::GoalStatus;
std::string to_string(const GoalUUID& id);  // hexadecimal, as UUIDs are written

namespace exceptions {
class UnknownGoalHandleError : public std::invalid_argument {
 public:
  UnknownGoalHandleError() : std::invalid_argument("Goal handle is not known to this client.") {}
};
class UnawareGoalHandleError : public std::runtime_error {
 public:
  explicit UnawareGoalHandleError(const std::string& message = "Goal handle is not tracking the goal result.")
      : std::runtime_error(message) {}
};
}  // namespace exceptions

namespace detail {

// What an action makes at a node, of which it has the base interface.
class Maker {
 public:
  using Base = rclcpp::node_interfaces::NodeBaseInterface::SharedPtr;
  Maker(Base base, rclcpp::CallbackGroup::SharedPtr group = nullptr)
      : base_(std::move(base)), group_(std::move(group)) {}  // NOLINT

  const char* node_name() const { return base_->get_fully_qualified_name(); }
  template <class MessageT>
  typename rclcpp::Publisher<MessageT>::SharedPtr publisher(const std::string& topic, const rclcpp::QoS& qos) const {
    return rclcpp::create_publisher<MessageT>(topics(), topic, qos);
  }
  template <class MessageT, class CallbackT>
  typename rclcpp::Subscription<MessageT>::SharedPtr subscription(const std::string& topic, const rclcpp::QoS& qos,
                                                                  CallbackT callback) const {
    rclcpp::SubscriptionOptions options;
    options.callback_group = group_;
    return rclcpp::create_subscription<MessageT>(topics(), topic, qos, std::move(callback), options);
  }
  template <class ServiceT, class CallbackT>
  typename rclcpp::Service<ServiceT>::SharedPtr service(const std::string& name, CallbackT callback) const {
    return rclcpp::create_service<ServiceT>(base_, nullptr, name, std::move(callback), rclcpp::ServicesQoS(), group_);
  }
  template <class ServiceT>
  typename rclcpp::Client<ServiceT>::SharedPtr client(const std::string& name) const {
    return rclcpp::create_client<ServiceT>(base_, nullptr, nullptr, name, rclcpp::ServicesQoS(), group_);
  }

 private:
  rclcpp::node_interfaces::NodeTopicsInterface::SharedPtr topics() const {
    return std::make_shared<rclcpp::node_interfaces::NodeTopicsInterface>(base_, nullptr);
  }
  Base base_;
  rclcpp::CallbackGroup::SharedPtr group_;
};

}  // namespace detail
}  // namespace rclcpp_action
