// Servers of actions: goals that are accepted or not, news of them, a result, and that they may be canceled.
//
//   ActionServer<SimulateSteps> steps(node, "/simulate_steps", {.accept = ..., .begin = ..., .cancel = ..., .clock = ...});
//   steps.tell(id, feedback);
//   steps.end(id, GoalStatus::STATUS_SUCCEEDED, result);
//
// In DDS these are three services and two topics below NAME/_action. A goal is executing as soon as it was accepted. All
// callbacks come on the thread of Domain::spin(), and may end goals.
#pragma once

#include "adapters/ros2/action_goals.h"
#include "adapters/ros2/topics.h"

namespace convoy::ros2 {

template <class ActionT>
class ActionServer {
 public:
  using Goal = typename ActionT::Goal;
  using Result = typename ActionT::Result;
  using Feedback = typename ActionT::Feedback;
  struct Callbacks {
    // `client`: an endpoint of who asks.
    std::function<bool(const Goal&, const Guid& client)> accept;
    std::function<void(const GoalId&, const Goal&, const Guid& client)> begin;
    std::function<bool(const GoalId&, const Guid& client)> cancel;  // true: it will be ended as soon as it can be
    std::function<builtin_interfaces::msg::Time()> clock;
  };

  // As Node::service().
  static convoy::Result<std::unique_ptr<ActionServer>> make(Node& node, const std::string& name, Callbacks callbacks);
  ActionServer(const ActionServer&) = delete;

  // Of a goal that has not ended.
  bool canceling(const GoalId& id) { return goal(id).status == GoalStatus::STATUS_CANCELING; }
  void tell(const GoalId& id, const Feedback& feedback);
  void end(const GoalId& id, std::int8_t status, const Result& result);

 private:
  using SendGoal = typename ActionT::Impl::SendGoalService;
  using GetResult = typename ActionT::Impl::GetResultService;
  using CancelGoal = typename ActionT::Impl::CancelGoalService;

  explicit ActionServer(Callbacks callbacks) : callbacks_(std::move(callbacks)) {}
  Status open(Node& node, const std::string& name);
  ActionGoal& goal(const GoalId& id) { return *goals_.find(id); }
  void send_goal(const typename SendGoal::Request& request, const ReplyTo& to);
  void get_result(const GoalId& id, const ReplyTo& to);
  void tell_statuses() { ros2::publish(*statuses_, goals_.statuses()); }

  Callbacks callbacks_;
  ActionGoals goals_;
  std::unique_ptr<Service> sending_, canceling_, results_;
  std::unique_ptr<Publisher> feedback_, statuses_;
};

template <class ActionT>
convoy::Result<std::unique_ptr<ActionServer<ActionT>>> ActionServer<ActionT>::make(Node& node, const std::string& name,
                                                                                   Callbacks callbacks) {
  std::unique_ptr<ActionServer> out(new ActionServer(std::move(callbacks)));
  if (auto ok = out->open(node, name + "/_action/"); !ok) return tl::unexpected(ok.error());
  return out;
}

template <class ActionT>
Status ActionServer<ActionT>::open(Node& node, const std::string& name) {
  auto feedback = node.publisher(name + "feedback", ros::TypeSupport::of<typename ActionT::Impl::FeedbackMessage>());
  auto statuses =
      node.publisher(name + "status", ros::TypeSupport::of<typename ActionT::Impl::GoalStatusMessage>(), kLatched);
  auto sending = serve<SendGoal>(node, name + "send_goal", [this](const auto& request, const ServiceRequest& asked) {
    send_goal(request, asked.from);
  });
  auto canceling =
      serve<CancelGoal>(node, name + "cancel_goal", [this](const auto& request, const ServiceRequest& asked) {
        const auto response = goals_.cancel(request.goal_info,
                                            [&](const GoalId& id) { return callbacks_.cancel(id, asked.from.client); });
        reply(*canceling_, asked.from, response);
        if (!response.goals_canceling.empty()) tell_statuses();
      });
  auto results = serve<GetResult>(node, name + "get_result", [this](const auto& request, const ServiceRequest& asked) {
    get_result(request.goal_id.uuid, asked.from);
  });
  for (const auto* one : {&feedback, &statuses})
    if (!*one) return tl::unexpected(one->error());
  for (const auto* one : {&sending, &canceling, &results})
    if (!*one) return tl::unexpected(one->error());
  feedback_ = std::move(*feedback), statuses_ = std::move(*statuses);
  sending_ = std::move(*sending), canceling_ = std::move(*canceling), results_ = std::move(*results);
  return {};
}

template <class ActionT>
void ActionServer<ActionT>::send_goal(const typename SendGoal::Request& request, const ReplyTo& to) {
  typename SendGoal::Response response;
  const GoalId id = request.goal_id.uuid;
  ActionGoal* goal =
      goals_.find(id) || !callbacks_.accept(request.goal, to.client) ? nullptr : goals_.add(id, callbacks_.clock());
  response.accepted = goal != nullptr;
  if (goal) response.stamp = goal->stamp, goal->status = GoalStatus::STATUS_EXECUTING;
  reply(*sending_, to, response);
  if (!goal) return;
  tell_statuses();
  callbacks_.begin(id, request.goal, to.client);
}

template <class ActionT>
void ActionServer<ActionT>::get_result(const GoalId& id, const ReplyTo& to) {
  ActionGoal* goal = goals_.find(id);
  if (!goal || (!goal->ended() && goal->askers.size() >= kMaxResultAskers)) {
    typename GetResult::Response response;
    response.status = GoalStatus::STATUS_UNKNOWN;
    return reply(*results_, to, response);
  }
  if (goal->ended()) results_->reply(to, goal->result);
  else goal->askers.push_back(to);
}

template <class ActionT>
void ActionServer<ActionT>::tell(const GoalId& id, const Feedback& feedback) {
  if (!feedback_->wanted()) return;
  typename ActionT::Impl::FeedbackMessage message;
  message.goal_id.uuid = id, message.feedback = feedback;
  ros2::publish(*feedback_, message);
}

template <class ActionT>
void ActionServer<ActionT>::end(const GoalId& id, std::int8_t status, const Result& result) {
  typename GetResult::Response response;
  response.status = status, response.result = result;
  auto cdr = ros::TypeSupport::of<typename GetResult::Response>().to_cdr(&response);
  const Bytes bytes = cdr ? std::move(*cdr) : Bytes();
  for (const ReplyTo& to : goals_.end(id, status, bytes)) results_->reply(to, bytes);
  tell_statuses();
}

}  // namespace convoy::ros2
