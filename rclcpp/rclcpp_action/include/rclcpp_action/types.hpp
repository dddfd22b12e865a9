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
inline rclcpp::Node& node_of(rclcpp::Node* node) { return *node; }
template <class NodeT>
rclcpp::Node& node_of(const std::shared_ptr<NodeT>& node) {
  return *node;
}
}  // namespace detail
}  // namespace rclcpp_action
