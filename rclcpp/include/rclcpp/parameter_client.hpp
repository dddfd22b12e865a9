// Parameters of other nodes: asked by futures and callbacks, or by calls that wait in simulated time.
//
//   rclcpp::SyncParametersClient other(node, "/slam");
//   if (other.wait_for_service(1s)) other.set_parameters({rclcpp::Parameter("rate", 5.0)});
#pragma once

#include <functional>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "rclcpp/executors.hpp"

namespace rclcpp {

class AsyncParametersClient {
 public:
  RCLCPP_SMART_PTR_DEFINITIONS(AsyncParametersClient)
  using SetResult = rcl_interfaces::msg::SetParametersResult;
  using ListResult = rcl_interfaces::msg::ListParametersResult;
  using Descriptor = rcl_interfaces::msg::ParameterDescriptor;
  template <class T>
  using Shared = std::shared_future<T>;
  template <class T>
  using ResultCallback = std::function<void(std::shared_future<T>)>;

  // Without a name, of the node itself.
  AsyncParametersClient(node_interfaces::NodeBaseInterface::SharedPtr base,
                        node_interfaces::NodeTopicsInterface::SharedPtr topics,
                        node_interfaces::NodeGraphInterface::SharedPtr graph,
                        node_interfaces::NodeServicesInterface::SharedPtr services, const std::string& remote = "",
                        const QoS& qos = ParametersQoS(), CallbackGroup::SharedPtr group = nullptr);
  template <class NodeT>
  requires node_interfaces::has_topics_interface<std::remove_cvref_t<NodeT>>
  explicit AsyncParametersClient(const NodeT& node, const std::string& remote = "", const QoS& qos = ParametersQoS(),
                                 CallbackGroup::SharedPtr group = nullptr)
      : AsyncParametersClient(node_interfaces::get_node_base_interface(node),
                              node_interfaces::get_node_topics_interface(node), nullptr, nullptr, remote, qos,
                              std::move(group)) {}
  template <class NodeT>
  AsyncParametersClient(const NodeT& node, const std::string& remote, const rmw_qos_profile_t& qos,
                        CallbackGroup::SharedPtr group = nullptr)
      : AsyncParametersClient(node, remote, QoS(QoSInitialization::from_rmw(qos), qos), std::move(group)) {}
  ~AsyncParametersClient();

  // Empty if one of them is not declared.
  Shared<std::vector<Parameter>> get_parameters(const std::vector<std::string>& names,
                                                ResultCallback<std::vector<Parameter>> callback = nullptr);
  Shared<std::vector<Descriptor>> describe_parameters(const std::vector<std::string>& names,
                                                      ResultCallback<std::vector<Descriptor>> callback = nullptr);
  Shared<std::vector<ParameterType>> get_parameter_types(const std::vector<std::string>& names,
                                                         ResultCallback<std::vector<ParameterType>> callback = nullptr);
  Shared<std::vector<SetResult>> set_parameters(const std::vector<Parameter>& parameters,
                                                ResultCallback<std::vector<SetResult>> callback = nullptr);
  Shared<SetResult> set_parameters_atomically(const std::vector<Parameter>& parameters,
                                              ResultCallback<SetResult> callback = nullptr);
  Shared<std::vector<SetResult>> delete_parameters(const std::vector<std::string>& names);
  // Sets what a parameter file specifies for the other node; a bad file throws InvalidParametersException.
  Shared<std::vector<SetResult>> load_parameters(const std::string& yaml_file);
  Shared<ListResult> list_parameters(const std::vector<std::string>& prefixes, std::uint64_t depth,
                                     ResultCallback<ListResult> callback = nullptr);

  template <class CallbackT>
  Subscription<rcl_interfaces::msg::ParameterEvent>::SharedPtr on_parameter_event(
      CallbackT&& callback, const QoS& qos = ParameterEventsQoS(), const SubscriptionOptions& options = {}) {
    return on_parameter_event(topics_, std::forward<CallbackT>(callback), qos, options);
  }
  template <class CallbackT, class NodeT>
  requires node_interfaces::has_topics_interface<std::remove_cvref_t<NodeT>>
  static Subscription<rcl_interfaces::msg::ParameterEvent>::SharedPtr on_parameter_event(
      NodeT&& node, CallbackT&& callback, const QoS& qos = ParameterEventsQoS(),
      const SubscriptionOptions& options = {}) {
    return create_subscription<rcl_interfaces::msg::ParameterEvent>(node_interfaces::get_node_topics_interface(node),
                                                                    "/parameter_events", qos,
                                                                    std::forward<CallbackT>(callback), options);
  }

  bool service_is_ready() const;
  template <class Rep = std::int64_t, class Period = std::milli>
  bool wait_for_service(std::chrono::duration<Rep, Period> timeout = std::chrono::duration<Rep, Period>(-1)) {
    return wait_for_service_nanoseconds(std::chrono::duration_cast<std::chrono::nanoseconds>(timeout));
  }

 private:
  friend class SyncParametersClient;
  struct Clients;
  bool wait_for_service_nanoseconds(std::chrono::nanoseconds timeout);

  node_interfaces::NodeTopicsInterface::SharedPtr topics_;
  std::string remote_;
  std::unique_ptr<Clients> clients_;
};

// Each call spins its node until the answer is there; in a callback it suspends that.
class SyncParametersClient {
 public:
  RCLCPP_SMART_PTR_DEFINITIONS(SyncParametersClient)
  template <class NodeT>
  requires node_interfaces::has_topics_interface<std::remove_cvref_t<NodeT>>
  explicit SyncParametersClient(const NodeT& node, const std::string& remote = "", const QoS& qos = ParametersQoS())
      : SyncParametersClient(nullptr, node, remote, qos) {}
  template <class NodeT>
  requires node_interfaces::has_topics_interface<std::remove_cvref_t<NodeT>> SyncParametersClient(
      Executor::SharedPtr, const NodeT& node, const std::string& remote = "", const QoS& qos = ParametersQoS())
      : SyncParametersClient(nullptr, node_interfaces::get_node_base_interface(node),
                             node_interfaces::get_node_topics_interface(node), nullptr, nullptr, remote, qos) {}
  SyncParametersClient(Executor::SharedPtr executor, node_interfaces::NodeBaseInterface::SharedPtr base,
                       node_interfaces::NodeTopicsInterface::SharedPtr topics,
                       node_interfaces::NodeGraphInterface::SharedPtr graph,
                       node_interfaces::NodeServicesInterface::SharedPtr services, const std::string& remote = "",
                       const QoS& qos = ParametersQoS());

  // After a timeout: nothing, an unsuccessful result, or no results.
  template <class Rep = std::int64_t, class Period = std::milli>
  std::vector<Parameter> get_parameters(
      const std::vector<std::string>& names,
      std::chrono::duration<Rep, Period> timeout = std::chrono::duration<Rep, Period>(-1)) {
    return answer(async_->get_parameters(names), timeout);
  }
  bool has_parameter(const std::string& name);
  template <class T>
  T get_parameter(const std::string& name, const T& otherwise) {
    const auto found = get_parameters({name});
    return is_one(found) ? static_cast<T>(found[0].template get_value<T>()) : otherwise;
  }
  template <class T>
  T get_parameter(const std::string& name) {
    const auto found = get_parameters({name});
    if (!is_one(found)) throw std::runtime_error("Parameter '" + name + "' is not set");
    return static_cast<T>(found[0].template get_value<T>());
  }
  template <class Rep = std::int64_t, class Period = std::milli>
  std::vector<rcl_interfaces::msg::ParameterDescriptor> describe_parameters(
      const std::vector<std::string>& names,
      std::chrono::duration<Rep, Period> timeout = std::chrono::duration<Rep, Period>(-1)) {
    return answer(async_->describe_parameters(names), timeout);
  }
  template <class Rep = std::int64_t, class Period = std::milli>
  std::vector<ParameterType> get_parameter_types(
      const std::vector<std::string>& names,
      std::chrono::duration<Rep, Period> timeout = std::chrono::duration<Rep, Period>(-1)) {
    return answer(async_->get_parameter_types(names), timeout);
  }
  template <class Rep = std::int64_t, class Period = std::milli>
  std::vector<rcl_interfaces::msg::SetParametersResult> set_parameters(
      const std::vector<Parameter>& parameters,
      std::chrono::duration<Rep, Period> timeout = std::chrono::duration<Rep, Period>(-1)) {
    return answer(async_->set_parameters(parameters), timeout);
  }
  // Throws std::runtime_error after a timeout.
  template <class Rep = std::int64_t, class Period = std::milli>
  rcl_interfaces::msg::SetParametersResult set_parameters_atomically(
      const std::vector<Parameter>& parameters,
      std::chrono::duration<Rep, Period> timeout = std::chrono::duration<Rep, Period>(-1)) {
    return answer(async_->set_parameters_atomically(parameters), timeout, true);
  }
  template <class Rep = std::int64_t, class Period = std::milli>
  std::vector<rcl_interfaces::msg::SetParametersResult> delete_parameters(
      const std::vector<std::string>& names,
      std::chrono::duration<Rep, Period> timeout = std::chrono::duration<Rep, Period>(-1)) {
    return answer(async_->delete_parameters(names), timeout);
  }
  template <class Rep = std::int64_t, class Period = std::milli>
  std::vector<rcl_interfaces::msg::SetParametersResult> load_parameters(
      const std::string& yaml_file,
      std::chrono::duration<Rep, Period> timeout = std::chrono::duration<Rep, Period>(-1)) {
    return answer(async_->load_parameters(yaml_file), timeout);
  }
  // Throws std::runtime_error after a timeout.
  template <class Rep = std::int64_t, class Period = std::milli>
  rcl_interfaces::msg::ListParametersResult list_parameters(
      const std::vector<std::string>& prefixes, std::uint64_t depth,
      std::chrono::duration<Rep, Period> timeout = std::chrono::duration<Rep, Period>(-1)) {
    return answer(async_->list_parameters(prefixes, depth), timeout, true);
  }

  template <class CallbackT>
  auto on_parameter_event(CallbackT&& callback) {
    return async_->on_parameter_event(std::forward<CallbackT>(callback));
  }
  template <class CallbackT, class NodeT>
  static auto on_parameter_event(NodeT&& node, CallbackT&& callback, const QoS& qos = ParameterEventsQoS(),
                                 const SubscriptionOptions& options = {}) {
    return AsyncParametersClient::on_parameter_event(node, std::forward<CallbackT>(callback), qos, options);
  }
  bool service_is_ready() const { return async_->service_is_ready(); }
  template <class Rep = std::int64_t, class Period = std::milli>
  bool wait_for_service(std::chrono::duration<Rep, Period> timeout = std::chrono::duration<Rep, Period>(-1)) {
    return async_->wait_for_service(timeout);
  }

 private:
  static bool is_one(const std::vector<Parameter>& found) {
    return found.size() == 1 && found[0].get_type() != PARAMETER_NOT_SET;
  }
  template <class T, class Rep, class Period>
  T answer(std::shared_future<T> future, std::chrono::duration<Rep, Period> timeout, bool must = false) {
    Executor executor;
    const auto code = executors::spin_node_until_future_complete(executor, base_, future, timeout);
    if (code == FutureReturnCode::SUCCESS) return future.get();
    if (must) throw std::runtime_error("Unable to get result of a service of parameters in time");
    return T();
  }

  node_interfaces::NodeBaseInterface::SharedPtr base_;
  CallbackGroup::SharedPtr group_;  // of its own: answers come while the caller's group waits
  AsyncParametersClient::SharedPtr async_;
};

}  // namespace rclcpp
