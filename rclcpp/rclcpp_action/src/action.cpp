#include <algorithm>

#include "rclcpp_action/rclcpp_action.hpp"

namespace rclcpp_action {

std::string to_string(const GoalUUID& id) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  for (std::size_t i = 0; i < id.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) out += '-';
    out += kDigits[id[i] >> 4], out += kDigits[id[i] & 15];
  }
  return out;
}

// --- the server's goals

GoalBook::GoalBook(const detail::Maker& at, rclcpp::Clock::SharedPtr clock, const std::string& action,
                   const rcl_action_server_options_t& options)
    : clock_(std::move(clock)),
      options_(options),
      status_(at.publisher<action_msgs::msg::GoalStatusArray>(action + "/_action/status",
                                                              rclcpp::QoS(1).transient_local())) {}

GoalBook::Entry* GoalBook::find(const GoalUUID& id) {
  const auto found = std::find_if(goals_.begin(), goals_.end(), [&](const Entry& e) { return e.id == id; });
  return found == goals_.end() ? nullptr : &*found;
}

GoalBook::Entry& GoalBook::add(const GoalUUID& id, bool execute) {
  const auto status = execute ? GoalStatus::STATUS_EXECUTING : GoalStatus::STATUS_ACCEPTED;
  goals_.push_back({id, clock_->now(), clock_->now(), static_cast<std::int8_t>(status)});
  return goals_.back();
}

//  ACCEPTED -> EXECUTING -> SUCCEEDED, ABORTED
//      |           |
//      +-----------+-> CANCELING -> CANCELED, SUCCEEDED, ABORTED
void GoalBook::move(const GoalUUID& id, std::int8_t status) {
  Entry* goal = find(id);
  const std::int8_t from = goal ? goal->status : std::int8_t{GoalStatus::STATUS_UNKNOWN};
  bool legal = false;
  switch (status) {
    case GoalStatus::STATUS_EXECUTING: legal = from == GoalStatus::STATUS_ACCEPTED; break;
    case GoalStatus::STATUS_CANCELING:
      legal = from == GoalStatus::STATUS_ACCEPTED || from == GoalStatus::STATUS_EXECUTING;
      break;
    case GoalStatus::STATUS_CANCELED: legal = from == GoalStatus::STATUS_CANCELING; break;
    default: legal = from == GoalStatus::STATUS_EXECUTING || from == GoalStatus::STATUS_CANCELING;
  }
  if (!legal)
    throw rclcpp::exceptions::RCLError("goal_handle attempted invalid transition from state " + std::to_string(from) +
                                       " to state " + std::to_string(status));
  goal->status = status, goal->ended = clock_->now();
}

void GoalBook::publish_status() {
  auto message = std::make_unique<action_msgs::msg::GoalStatusArray>();
  for (const Entry& goal : goals_) {
    GoalStatus one;
    one.goal_info.goal_id.uuid = goal.id, one.goal_info.stamp = goal.stamp, one.status = goal.status;
    message->status_list.push_back(one);
  }
  status_->publish(std::move(message));
}

// An id of zeros: all until the stamp; a stamp of zero, too: all. An id with a stamp: that one, and all until the stamp.
void GoalBook::cancel(const CancelService::Request& request, CancelService::Response& response,
                      const std::function<bool(const GoalUUID&)>& accepts) {
  const GoalUUID& id = request.goal_info.goal_id.uuid;
  const rclcpp::Time until(request.goal_info.stamp, clock_->get_clock_type());
  const bool any_id = id == GoalUUID{}, any_time = until.nanoseconds() == 0;
  std::vector<Entry> meant;
  for (const Entry& goal : goals_)
    if (goal.id == id || (any_id && any_time) || (!any_time && goal.stamp <= until)) meant.push_back(goal);
  std::erase_if(meant, [](const Entry& goal) { return goal.status >= GoalStatus::STATUS_CANCELING; });
  const Entry* wanted = find(id);
  const bool was_over = wanted && wanted->status > GoalStatus::STATUS_CANCELING;
  for (const Entry& goal : meant) {
    if (!accepts(goal.id)) continue;
    move(goal.id, GoalStatus::STATUS_CANCELING);
    GoalInfo info;
    info.goal_id.uuid = goal.id, info.stamp = goal.stamp;
    response.goals_canceling.push_back(info);
  }
  response.return_code = CancelService::Response::ERROR_NONE;
  if (!any_id && !wanted) response.return_code = CancelService::Response::ERROR_UNKNOWN_GOAL_ID;
  else if (was_over && meant.empty()) response.return_code = CancelService::Response::ERROR_GOAL_TERMINATED;
  else if (!meant.empty() && response.goals_canceling.empty())
    response.return_code = CancelService::Response::ERROR_REJECTED;
  if (!response.goals_canceling.empty()) publish_status();
}

std::vector<GoalUUID> GoalBook::forget_old() {
  std::vector<GoalUUID> out;
  if (options_.result_timeout.nanoseconds < 0) return out;
  const auto old = [&](const Entry& goal) {
    return goal.status > GoalStatus::STATUS_CANCELING &&
           (clock_->now() - goal.ended).nanoseconds() >= options_.result_timeout.nanoseconds;
  };
  for (const Entry& goal : goals_)
    if (old(goal)) out.push_back(goal.id);
  std::erase_if(goals_, old);
  return out;
}

// --- the client

ClientBase::ClientBase(const detail::Maker& at, const std::string& action)
    : cancel_(at.client<CancelService>(action + "/_action/cancel_goal")), origin_(14695981039346656037u) {
  for (const char c : std::string(at.node_name()) + ' ' + cancel_->get_service_name())
    origin_ = (origin_ ^ static_cast<unsigned char>(c)) * 1099511628211u;
}

GoalUUID ClientBase::next_id() {
  // With the client's rank, since a node may have two clients of one action.
  const std::uint64_t number = (std::uint64_t{cancel_->kernel().rank()} << 32) + ++count_;
  GoalUUID id;
  for (std::size_t i = 0; i < 8; ++i) {
    id[i] = static_cast<std::uint8_t>(origin_ >> (8 * i));
    id[8 + i] = static_cast<std::uint8_t>(number >> (56 - 8 * i));
  }
  return id;
}

}  // namespace rclcpp_action
