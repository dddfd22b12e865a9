// The side of an action that wants something done.
#pragma once

#include <functional>
#include <map>
#include <memory>

#include "rclcpp_action/types.hpp"

namespace rclcpp_action {

enum class ResultCode : std::int8_t {
  UNKNOWN = GoalStatus::STATUS_UNKNOWN,
  SUCCEEDED = GoalStatus::STATUS_SUCCEEDED,
  CANCELED = GoalStatus::STATUS_CANCELED,
  ABORTED = GoalStatus::STATUS_ABORTED
};

template <class ActionT>
class Client;

template <class ActionT>
class ClientGoalHandle {
 public:
  RCLCPP_SMART_PTR_ALIASES_ONLY(ClientGoalHandle)
  struct WrappedResult {
    GoalUUID goal_id{};
    ResultCode code = ResultCode::UNKNOWN;
    typename ActionT::Result::SharedPtr result;
  };
  using Feedback = typename ActionT::Feedback;
  using Result = typename ActionT::Result;
  using FeedbackCallback =
      std::function<void(typename ClientGoalHandle::SharedPtr, const std::shared_ptr<const Feedback>)>;
  using ResultCallback = std::function<void(const WrappedResult&)>;

  const GoalUUID& get_goal_id() const { return id_; }
  rclcpp::Time get_goal_stamp() const { return stamp_; }
  std::int8_t get_status() const { return status_; }
  bool is_feedback_aware() const { return static_cast<bool>(on_feedback_); }
  bool is_result_aware() const { return result_.valid(); }

 private:
  friend class Client<ActionT>;
  GoalUUID id_{};
  rclcpp::Time stamp_;
  std::int8_t status_ = GoalStatus::STATUS_ACCEPTED;
  FeedbackCallback on_feedback_;
  ResultCallback on_result_;
  std::shared_future<WrappedResult> result_;
};

// What has no type.
class ClientBase {
 public:
  ClientBase(const detail::Maker& at, const std::string& action);
  virtual ~ClientBase() = default;
  bool action_server_is_ready() const { return cancel_->service_is_ready(); }
  // In simulated time; below 0: for ever.
  template <class Rep = std::int64_t, class Period = std::milli>
  bool wait_for_action_server(std::chrono::duration<Rep, Period> timeout = std::chrono::duration<Rep, Period>(-1)) {
    return cancel_->wait_for_service(timeout);
  }

 protected:
  // Ids are no chance: of the node's name, the action's, and a count.
  GoalUUID next_id();
  using CancelService = action_msgs::srv::CancelGoal;
  rclcpp::Client<CancelService>::SharedPtr cancel_;

 private:
  std::uint64_t origin_;
  std::uint64_t count_ = 0;
};

template <class ActionT>
class Client : public ClientBase, public std::enable_shared_from_this<Client<ActionT>> {
 public:
  RCLCPP_SMART_PTR_ALIASES_ONLY(Client)
  using Goal = typename ActionT::Goal;
  using GoalHandle = ClientGoalHandle<ActionT>;
  using WrappedResult = typename GoalHandle::WrappedResult;
  using ResultCallback = typename GoalHandle::ResultCallback;
  using FeedbackCallback = typename GoalHandle::FeedbackCallback;
  using GoalResponseCallback = std::function<void(typename GoalHandle::SharedPtr)>;
  using CancelRequest = CancelService::Request;
  using CancelResponse = CancelService::Response;
  using CancelCallback = std::function<void(CancelResponse::SharedPtr)>;
  struct SendGoalOptions {
    GoalResponseCallback goal_response_callback;
    FeedbackCallback feedback_callback;
    ResultCallback result_callback;
  };
  using ClientBase::ClientBase;

  void open(const detail::Maker& at, const std::string& action) {
    const std::weak_ptr<Client> weak = this->shared_from_this();
    send_goal_ = at.client<SendGoal>(action + "/_action/send_goal");
    get_result_ = at.client<GetResult>(action + "/_action/get_result");
    feedback_ = at.subscription<FeedbackMessage>(
        action + "/_action/feedback", 10, [weak](std::shared_ptr<const FeedbackMessage> message) {
          const auto self = weak.lock();
          const auto handle = self ? self->known(message->goal_id.uuid) : nullptr;
          if (!handle || !handle->on_feedback_) return;
          const auto call = handle->on_feedback_;
          call(handle, std::shared_ptr<const typename ActionT::Feedback>(message, &message->feedback));
        });
    status_ = at.subscription<action_msgs::msg::GoalStatusArray>(
        action + "/_action/status", rclcpp::QoS(1).transient_local(),
        [weak](const action_msgs::msg::GoalStatusArray& all) {
          if (const auto self = weak.lock())
            for (const auto& s : all.status_list)
              if (const auto handle = self->known(s.goal_info.goal_id.uuid)) handle->status_ = s.status;
        });
  }

  // The future has null if the goal is rejected.
  std::shared_future<typename GoalHandle::SharedPtr> async_send_goal(const Goal& goal,
                                                                     const SendGoalOptions& options = {}) {
    using Given = typename GoalHandle::SharedPtr;
    auto promise = std::make_shared<std::promise<Given>>(convoy::ros::make_promise<Given>());
    auto request = std::make_shared<typename SendGoal::Request>();
    request->goal_id.uuid = next_id(), request->goal = goal;
    std::shared_future<Given> future = promise->get_future().share();
    send_goal_->async_send_request(
        request, [weak = this->weak_from_this(), promise, options,
                  id = request->goal_id.uuid](typename rclcpp::Client<SendGoal>::SharedFuture answer) {
          Given handle;
          const auto self = weak.lock();
          if (self && answer.get()->accepted) {
            handle = std::make_shared<GoalHandle>();
            handle->id_ = id, handle->stamp_ = answer.get()->stamp, handle->on_feedback_ = options.feedback_callback;
            self->goals_[id] = handle;
          }
          promise->set_value(handle);
          if (options.goal_response_callback) options.goal_response_callback(handle);
          if (handle && options.result_callback) self->async_get_result(handle, options.result_callback);
        });
    return future;
  }
  std::shared_future<WrappedResult> async_get_result(typename GoalHandle::SharedPtr handle,
                                                     ResultCallback callback = nullptr) {
    check(handle);
    if (callback) handle->on_result_ = std::move(callback);
    if (handle->is_result_aware()) return handle->result_;
    auto promise = std::make_shared<std::promise<WrappedResult>>(convoy::ros::make_promise<WrappedResult>());
    handle->result_ = promise->get_future().share();
    auto request = std::make_shared<typename GetResult::Request>();
    request->goal_id.uuid = handle->id_;
    get_result_->async_send_request(request, [weak = this->weak_from_this(), promise,
                                              handle](typename rclcpp::Client<GetResult>::SharedFuture answer) {
      WrappedResult wrapped;
      wrapped.goal_id = handle->id_, wrapped.code = static_cast<ResultCode>(answer.get()->status);
      wrapped.result = std::make_shared<typename ActionT::Result>(answer.get()->result);
      handle->status_ = answer.get()->status;
      promise->set_value(wrapped);
      if (const auto self = weak.lock()) self->goals_.erase(handle->id_);
      if (const auto call = std::exchange(handle->on_result_, nullptr)) call(wrapped);
    });
    return handle->result_;
  }
  std::shared_future<CancelResponse::SharedPtr> async_cancel_goal(typename GoalHandle::SharedPtr handle,
                                                                  CancelCallback callback = nullptr) {
    check(handle);
    auto request = std::make_shared<CancelRequest>();
    request->goal_info.goal_id.uuid = handle->id_;
    return cancel(request, std::move(callback));
  }
  std::shared_future<CancelResponse::SharedPtr> async_cancel_all_goals(CancelCallback callback = nullptr) {
    return cancel(std::make_shared<CancelRequest>(), std::move(callback));
  }
  std::shared_future<CancelResponse::SharedPtr> async_cancel_goals_before(const rclcpp::Time& stamp,
                                                                          CancelCallback callback = nullptr) {
    auto request = std::make_shared<CancelRequest>();
    request->goal_info.stamp = stamp;
    return cancel(request, std::move(callback));
  }
  void stop_callbacks(typename GoalHandle::SharedPtr handle) {
    handle->on_feedback_ = nullptr, handle->on_result_ = nullptr;
  }

 private:
  using SendGoal = typename ActionT::Impl::SendGoalService;
  using GetResult = typename ActionT::Impl::GetResultService;
  using FeedbackMessage = typename ActionT::Impl::FeedbackMessage;

  typename GoalHandle::SharedPtr known(const GoalUUID& id) const {
    const auto found = goals_.find(id);
    return found == goals_.end() ? nullptr : found->second.lock();
  }
  void check(const typename GoalHandle::SharedPtr& handle) const {
    if (!handle || known(handle->id_) != handle) throw exceptions::UnknownGoalHandleError();
  }
  std::shared_future<CancelResponse::SharedPtr> cancel(CancelRequest::SharedPtr request, CancelCallback callback) {
    if (!callback)
      return cancel_->async_send_request(request, [](rclcpp::Client<CancelService>::SharedFuture) {}).future;
    return cancel_
        ->async_send_request(request,
                             [callback](rclcpp::Client<CancelService>::SharedFuture answer) { callback(answer.get()); })
        .future;
  }

  std::map<GoalUUID, std::weak_ptr<GoalHandle>> goals_;
  typename rclcpp::Client<SendGoal>::SharedPtr send_goal_;
  typename rclcpp::Client<GetResult>::SharedPtr get_result_;
  rclcpp::SubscriptionBase::SharedPtr feedback_, status_;
};

template <class ActionT>
typename Client<ActionT>::SharedPtr create_client(rclcpp::node_interfaces::NodeBaseInterface::SharedPtr base,
                                                  rclcpp::node_interfaces::NodeGraphInterface::SharedPtr,
                                                  rclcpp::node_interfaces::NodeLoggingInterface::SharedPtr,
                                                  rclcpp::node_interfaces::NodeWaitablesInterface::SharedPtr,
                                                  const std::string& name,
                                                  rclcpp::CallbackGroup::SharedPtr group = nullptr,
                                                  const rcl_action_client_options_t& = {}) {
  const detail::Maker at(std::move(base), std::move(group));
  auto client = std::make_shared<Client<ActionT>>(at, name);
  client->open(at, name);
  return client;
}
template <class ActionT, class NodeT>
typename Client<ActionT>::SharedPtr create_client(NodeT node, const std::string& name,
                                                  rclcpp::CallbackGroup::SharedPtr group = nullptr,
                                                  const rcl_action_client_options_t& options = {}) {
  return create_client<ActionT>(rclcpp::node_interfaces::get_node_base_interface(node), nullptr, nullptr, nullptr, name,
                                std::move(group), options);
}

}  // namespace rclcpp_action
