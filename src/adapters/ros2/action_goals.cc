#include "adapters/ros2/action_goals.h"

#include <algorithm>

#include "core/check.h"

namespace convoy::ros2 {

namespace {

using action_msgs::msg::GoalInfo;
using action_msgs::srv::CancelGoal;
using builtin_interfaces::msg::Time;

GoalInfo info_of(const ActionGoal& goal) {
  GoalInfo out;
  out.goal_id.uuid = goal.id, out.stamp = goal.stamp;
  return out;
}

bool no_later(const Time& a, const Time& b) { return std::pair(a.sec, a.nanosec) <= std::pair(b.sec, b.nanosec); }

}  // namespace

ActionGoal* ActionGoals::find(const GoalId& id) {
  const auto at = std::find_if(goals_.begin(), goals_.end(), [&](const ActionGoal& g) { return g.id == id; });
  return at == goals_.end() ? nullptr : &*at;
}

ActionGoal* ActionGoals::add(const GoalId& id, const Time& stamp) {
  const auto open = std::count_if(goals_.begin(), goals_.end(), [](const ActionGoal& g) { return !g.ended(); });
  if (find(id) || static_cast<std::size_t>(open) >= kMaxGoals) return nullptr;
  ActionGoal& out = goals_.emplace_back();
  out.id = id, out.stamp = stamp;
  return &out;
}

CancelGoal::Response ActionGoals::cancel(const GoalInfo& what, const std::function<bool(const GoalId&)>& may) {
  const bool any = what.goal_id.uuid == GoalId{}, all = any && what.stamp == Time();
  CancelGoal::Response out;
  bool asked = false;
  for (ActionGoal& goal : goals_) {
    const bool earlier = what.stamp != Time() && no_later(goal.stamp, what.stamp);
    if (goal.ended() || !(all || earlier || goal.id == what.goal_id.uuid)) continue;
    asked = true;
    if (!may(goal.id)) continue;
    goal.status = GoalStatus::STATUS_CANCELING;
    out.goals_canceling.push_back(info_of(goal));
  }
  out.return_code = CancelGoal::Response::ERROR_NONE;
  if (!out.goals_canceling.empty()) return out;
  if (asked) out.return_code = CancelGoal::Response::ERROR_REJECTED;
  else if (!any)
    out.return_code = find(what.goal_id.uuid) ? CancelGoal::Response::ERROR_GOAL_TERMINATED
                                              : CancelGoal::Response::ERROR_UNKNOWN_GOAL_ID;
  return out;
}

std::vector<ReplyTo> ActionGoals::end(const GoalId& id, std::int8_t status, Bytes result) {
  const auto ended = [](const ActionGoal& g) { return g.ended(); };
  if (static_cast<std::size_t>(std::count_if(goals_.begin(), goals_.end(), ended)) >= kKeptResults)
    goals_.erase(std::find_if(goals_.begin(), goals_.end(), ended));
  ActionGoal* goal = find(id);
  EXPECTS(goal && !goal->ended());
  goal->status = status, goal->result = std::move(result);
  return std::exchange(goal->askers, {});
}

action_msgs::msg::GoalStatusArray ActionGoals::statuses() const {
  action_msgs::msg::GoalStatusArray out;
  for (const ActionGoal& goal : goals_) {
    auto& one = out.status_list.emplace_back();
    one.goal_info = info_of(goal), one.status = goal.status;
  }
  return out;
}

}  // namespace convoy::ros2
