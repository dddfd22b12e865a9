// The side of an action that does the work.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "rclcpp_action/types.hpp"

namespace rclcpp_action {

enum class GoalResponse : std::int8_t { REJECT = 1, ACCEPT_AND_EXECUTE = 2, ACCEPT_AND_DEFER = 3 };
enum class CancelResponse : std::int8_t { REJECT = 1, ACCEPT = 2 };

// Holds all goals of a server, whatever their type; the goals' handles hold it, so it may outlive the server.
class GoalBook {
 public:
  struct Entry {
    GoalUUID id;
    rclcpp::Time stamp, ended;
    std::int8_t status;
  };
  GoalBook(const detail::Maker& at, rclcpp::Clock::SharedPtr clock, const std::string& action,
           const rcl_action_server_options_t& options);
  Entry* find(const GoalUUID& id);
  Entry& add(const GoalUUID& id, bool execute);
  // Throws RCLError where a goal cannot go to this state from its own.
  void move(const GoalUUID& id, std::int8_t status);
  void publish_status();
  using CancelService = action_msgs::srv::CancelGoal;
  // Asks `accepts` for each goal that is meant and may be cancelled.
  void cancel(const CancelService::Request& request, CancelService::Response& response,
              const std::function<bool(const GoalUUID&)>& accepts);
  // Goals whose results are no longer kept.
  std::vector<GoalUUID> forget_old();

 private:
  rclcpp::Clock::SharedPtr clock_;
  rcl_action_server_options_t options_;
  std::vector<Entry> goals_;  // in order of acceptance
  rclcpp::Publisher<action_msgs::msg::GoalStatusArray>::SharedPtr status_;
};

template <class ActionT>
class Server;

template <class ActionT>
class ServerGoalHandle {
 public:
  RCLCPP_SMART_PTR_ALIASES_ONLY(ServerGoalHandle)
  using Goal = typename ActionT::Goal;
  using Result = typename ActionT::Result;
  using Feedback = typename ActionT::Feedback;

  ServerGoalHandle(std::weak_ptr<Server<ActionT>> server, std::shared_ptr<GoalBook> book, const GoalUUID& id,
                   std::shared_ptr<const Goal> goal)
      : server_(std::move(server)), book_(std::move(book)), id_(id), goal_(std::move(goal)) {}
  // A goal that is not ended is canceled.
  ~ServerGoalHandle() {
    const auto* entry = book_->find(id_);
    if (!entry || entry->status > GoalStatus::STATUS_CANCELING) return;
    if (entry->status != GoalStatus::STATUS_CANCELING) book_->move(id_, GoalStatus::STATUS_CANCELING);
    end(GoalStatus::STATUS_CANCELED, std::make_shared<Result>());
  }
  std::shared_ptr<const Goal> get_goal() const { return goal_; }
  const GoalUUID& get_goal_id() const { return id_; }
  bool is_canceling() const { return status() == GoalStatus::STATUS_CANCELING; }
  bool is_executing() const { return status() == GoalStatus::STATUS_EXECUTING; }
  bool is_active() const { return status() >= GoalStatus::STATUS_ACCEPTED && status() <= GoalStatus::STATUS_CANCELING; }
  // One that was accepted to be executed later.
  void execute() {
    book_->move(id_, GoalStatus::STATUS_EXECUTING);
    book_->publish_status();
  }
  void succeed(std::shared_ptr<Result> result) { end(GoalStatus::STATUS_SUCCEEDED, std::move(result)); }
  void abort(std::shared_ptr<Result> result) { end(GoalStatus::STATUS_ABORTED, std::move(result)); }
  void canceled(std::shared_ptr<Result> result) { end(GoalStatus::STATUS_CANCELED, std::move(result)); }
  void publish_feedback(std::shared_ptr<Feedback> feedback);

 private:
  std::int8_t status() const {
    const auto* entry = book_->find(id_);
    return entry ? entry->status : std::int8_t{GoalStatus::STATUS_UNKNOWN};
  }
  void end(std::int8_t status, std::shared_ptr<Result> result);

  std::weak_ptr<Server<ActionT>> server_;
  std::shared_ptr<GoalBook> book_;
  GoalUUID id_;
  std::shared_ptr<const Goal> goal_;
};

template <class ActionT>
class Server : public std::enable_shared_from_this<Server<ActionT>> {
 public:
  RCLCPP_SMART_PTR_ALIASES_ONLY(Server)
  using Handle = ServerGoalHandle<ActionT>;
  using GoalCallback = std::function<GoalResponse(const GoalUUID&, std::shared_ptr<const typename ActionT::Goal>)>;
  using CancelCallback = std::function<CancelResponse(std::shared_ptr<Handle>)>;
  using AcceptedCallback = std::function<void(std::shared_ptr<Handle>)>;

  Server(const detail::Maker& at, rclcpp::Clock::SharedPtr clock, const std::string& action,
         const rcl_action_server_options_t& options, GoalCallback on_goal, CancelCallback on_cancel,
         AcceptedCallback on_accepted)
      : on_goal_(std::move(on_goal)),
        on_cancel_(std::move(on_cancel)),
        on_accepted_(std::move(on_accepted)),
        book_(std::make_shared<GoalBook>(at, std::move(clock), action, options)) {}

  // Behind the constructor: the callbacks hold it weakly.
  void open(const detail::Maker& at, const std::string& action) {
    const std::weak_ptr<Server> weak = this->shared_from_this();
    feedback_ = at.publisher<FeedbackMessage>(action + "/_action/feedback", 10);
    send_goal_ = at.service<SendGoal>(
        action + "/_action/send_goal",
        [weak](std::shared_ptr<rmw_request_id_t> header, std::shared_ptr<typename SendGoal::Request> request) {
          if (const auto self = weak.lock()) self->goal(*header, *request);
        });
    cancel_goal_ = at.service<GoalBook::CancelService>(
        action + "/_action/cancel_goal", [weak](std::shared_ptr<GoalBook::CancelService::Request> request,
                                                std::shared_ptr<GoalBook::CancelService::Response> response) {
          if (const auto self = weak.lock()) self->cancel(*request, *response);
        });
    get_result_ = at.service<GetResult>(
        action + "/_action/get_result",
        [weak](std::shared_ptr<rmw_request_id_t> header, std::shared_ptr<typename GetResult::Request> request) {
          if (const auto self = weak.lock()) self->result(*header, request->goal_id.uuid);
        });
    book_->publish_status();
  }

  // --- for the handles
  void publish_feedback(const GoalUUID& id, const typename ActionT::Feedback& feedback) {
    auto message = std::make_unique<FeedbackMessage>();
    message->goal_id.uuid = id, message->feedback = feedback;
    feedback_->publish(std::move(message));
  }
  void ended(const GoalUUID& id, std::int8_t status, const typename ActionT::Result& result) {
    typename GetResult::Response response;
    response.status = status, response.result = result;
    for (auto& header : waiting_[id]) get_result_->send_response(header, response);
    waiting_.erase(id), handles_.erase(id);
    results_[id] = std::move(response);
    forget_old();
  }

 private:
  using SendGoal = typename ActionT::Impl::SendGoalService;
  using GetResult = typename ActionT::Impl::GetResultService;
  using FeedbackMessage = typename ActionT::Impl::FeedbackMessage;

  void goal(rmw_request_id_t& header, const typename SendGoal::Request& request) {
    const GoalUUID id = request.goal_id.uuid;
    const auto goal = std::make_shared<const typename ActionT::Goal>(request.goal);
    const GoalResponse answer = book_->find(id) ? GoalResponse::REJECT : on_goal_(id, goal);
    typename SendGoal::Response response;
    response.accepted = answer != GoalResponse::REJECT;
    std::shared_ptr<Handle> handle;
    if (response.accepted) {
      response.stamp = book_->add(id, answer == GoalResponse::ACCEPT_AND_EXECUTE).stamp;
      handle = std::make_shared<Handle>(this->weak_from_this(), book_, id, goal);
      handles_[id] = handle;
    }
    send_goal_->send_response(header, response);
    if (!handle) return;
    book_->publish_status();
    on_accepted_(std::move(handle));
  }
  void cancel(const GoalBook::CancelService::Request& request, GoalBook::CancelService::Response& response) {
    book_->cancel(request, response, [&](const GoalUUID& id) {
      const auto handle = handles_[id].lock();
      return handle && on_cancel_(handle) == CancelResponse::ACCEPT;
    });
  }
  void result(rmw_request_id_t& header, const GoalUUID& id) {
    forget_old();
    const auto found = results_.find(id);
    if (found == results_.end() && book_->find(id)) {
      waiting_[id].push_back(header);
      return;
    }
    typename GetResult::Response unknown;
    unknown.status = GoalStatus::STATUS_UNKNOWN;
    get_result_->send_response(header, found == results_.end() ? unknown : found->second);
  }
  void forget_old() {
    for (const GoalUUID& id : book_->forget_old()) results_.erase(id);
  }

  GoalCallback on_goal_;
  CancelCallback on_cancel_;
  AcceptedCallback on_accepted_;
  std::shared_ptr<GoalBook> book_;
  std::map<GoalUUID, std::weak_ptr<Handle>> handles_;
  std::map<GoalUUID, std::vector<rmw_request_id_t>> waiting_;  // for a result
  std::map<GoalUUID, typename GetResult::Response> results_;
  typename rclcpp::Publisher<FeedbackMessage>::SharedPtr feedback_;
  typename rclcpp::Service<SendGoal>::SharedPtr send_goal_;
  rclcpp::Service<GoalBook::CancelService>::SharedPtr cancel_goal_;
  typename rclcpp::Service<GetResult>::SharedPtr get_result_;
};

template <class ActionT>
void ServerGoalHandle<ActionT>::publish_feedback(std::shared_ptr<Feedback> feedback) {
  if (const auto server = server_.lock()) server->publish_feedback(id_, *feedback);
}
template <class ActionT>
void ServerGoalHandle<ActionT>::end(std::int8_t status, std::shared_ptr<Result> result) {
  book_->move(id_, status);
  book_->publish_status();
  if (const auto server = server_.lock()) server->ended(id_, status, *result);
}

template <class ActionT>
typename Server<ActionT>::SharedPtr create_server(rclcpp::node_interfaces::NodeBaseInterface::SharedPtr base,
                                                  rclcpp::node_interfaces::NodeClockInterface::SharedPtr clock,
                                                  rclcpp::node_interfaces::NodeLoggingInterface::SharedPtr,
                                                  rclcpp::node_interfaces::NodeWaitablesInterface::SharedPtr,
                                                  const std::string& name,
                                                  typename Server<ActionT>::GoalCallback handle_goal,
                                                  typename Server<ActionT>::CancelCallback handle_cancel,
                                                  typename Server<ActionT>::AcceptedCallback handle_accepted,
                                                  const rcl_action_server_options_t& options = {},
                                                  rclcpp::CallbackGroup::SharedPtr group = nullptr) {
  const detail::Maker at(std::move(base), std::move(group));
  auto server = std::make_shared<Server<ActionT>>(at, clock->get_clock(), name, options, std::move(handle_goal),
                                                  std::move(handle_cancel), std::move(handle_accepted));
  server->open(at, name);
  return server;
}
template <class ActionT, class NodeT>
typename Server<ActionT>::SharedPtr create_server(NodeT node, const std::string& name,
                                                  typename Server<ActionT>::GoalCallback handle_goal,
                                                  typename Server<ActionT>::CancelCallback handle_cancel,
                                                  typename Server<ActionT>::AcceptedCallback handle_accepted,
                                                  const rcl_action_server_options_t& options = {},
                                                  rclcpp::CallbackGroup::SharedPtr group = nullptr) {
  using namespace rclcpp::node_interfaces;
  return create_server<ActionT>(get_node_base_interface(node), get_node_clock_interface(node), nullptr, nullptr, name,
                                std::move(handle_goal), std::move(handle_cancel), std::move(handle_accepted), options,
                                std::move(group));
}

}  // namespace rclcpp_action
