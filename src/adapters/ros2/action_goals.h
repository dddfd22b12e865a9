// The goals of one action server: how each of them stands, who asked for its result, and what has come of it.
//
//   accepted -> executing -> succeeded, aborted      or, if a cancel was taken: -> canceling -> canceled, succeeded, aborted
//
// Results are kept for whom asks later, those of the last goals that ended. Semantics: the design article "Actions", and
// rcl_action for which goals a cancel is about.
#pragma once

#include <action_msgs/msg/goal_status_array.hpp>
#include <action_msgs/srv/cancel_goal.hpp>
#include <array>
#include <deque>
#include <functional>
#include <vector>

#include "adapters/ros2/services.h"

namespace convoy::ros2 {

inline constexpr std::size_t kMaxGoals = 1000;        // that have not ended
inline constexpr std::size_t kKeptResults = 100;      // of goals that have
inline constexpr std::size_t kMaxResultAskers = 100;  // of one goal

using GoalId = std::array<std::uint8_t, 16>;
using GoalStatus = action_msgs::msg::GoalStatus;

struct ActionGoal {
  GoalId id{};
  builtin_interfaces::msg::Time stamp;  // of its acceptance
  std::int8_t status = GoalStatus::STATUS_ACCEPTED;
  Bytes result;                 // the response to who asks, once it has ended
  std::vector<ReplyTo> askers;  // who wait for it

  bool ended() const { return status >= GoalStatus::STATUS_SUCCEEDED; }
};

class ActionGoals {
 public:
  // Null: that goal is known, or there are kMaxGoals.
  ActionGoal* add(const GoalId& id, const builtin_interfaces::msg::Time& stamp);
  ActionGoal* find(const GoalId& id);
  // Of each goal that the request is about and that has not ended, `may` says whether it is canceled.
  action_msgs::srv::CancelGoal::Response cancel(const action_msgs::msg::GoalInfo& what,
                                                const std::function<bool(const GoalId&)>& may);
  // Who waits for the result of that goal, which has not ended. Of those that had, the oldest is forgotten where there are
  // kKeptResults.
  std::vector<ReplyTo> end(const GoalId& id, std::int8_t status, Bytes result);
  action_msgs::msg::GoalStatusArray statuses() const;

 private:
  std::deque<ActionGoal> goals_;  // in the order of their acceptance
};

}  // namespace convoy::ros2
