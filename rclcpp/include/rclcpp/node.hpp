// rclcpp::Node: a node of the simulation that is current on this thread.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "convoy_ros/simulation.hpp"
#include "convoy_ros/types.hpp"
#include "rclcpp/client.hpp"
#include "rclcpp/clock.hpp"
#include "rclcpp/generic_publisher.hpp"
#include "rclcpp/generic_subscription.hpp"
#include "rclcpp/logger.hpp"
#include "rclcpp/node_options.hpp"
#include "rclcpp/node_parameters.hpp"
#include "rclcpp/publisher.hpp"
#include "rclcpp/service.hpp"
#include "rclcpp/subscription.hpp"
#include "rclcpp/timer.hpp"

namespace rclcpp {

namespace node_interfaces {
// Who a node is; what executors take instead of a node.
class NodeBaseInterface {
 public:
  RCLCPP_SMART_PTR_ALIASES_ONLY(NodeBaseInterface)
  using CallbackGroupFunction = std::function<void(CallbackGroup::SharedPtr)>;
  NodeBaseInterface(convoy::nodes::Owned<convoy::nodes::Node> node, convoy::ros::Simulation& simulation);

  const char* get_name() const { return node_->name().c_str(); }
  const char* get_namespace() const { return node_->space().c_str(); }
  const char* get_fully_qualified_name() const { return node_->full_name().c_str(); }
  Context::SharedPtr get_context() { return contexts::get_global_default_context(); }
  CallbackGroup::SharedPtr create_callback_group(CallbackGroupType type, bool automatically_add = true);
  CallbackGroup::SharedPtr get_default_callback_group() { return default_group_; }
  void for_each_callback_group(const CallbackGroupFunction& function);
  // Of a program with its own main(): its groups run only while that spins.
  void set_held(bool held);

  convoy::nodes::Node& kernel() const { return *node_; }
  convoy::ros::Simulation& simulation() const { return simulation_; }

 private:
  convoy::nodes::Owned<convoy::nodes::Node> node_;
  convoy::ros::Simulation& simulation_;
  CallbackGroup::SharedPtr default_group_;
  std::vector<CallbackGroup::WeakPtr> groups_;
  bool held_ = false;
};
}  // namespace node_interfaces

namespace detail {
[[noreturn]] void throw_create(const convoy::Error& error, const char* what, const std::string& name);
// The form of a type that generic publishers and subscriptions use; std::runtime_error: no name of a type.
const convoy::nodes::MessageType& generic_type(const std::string& type);
}

class Node : public std::enable_shared_from_this<Node> {
 public:
  RCLCPP_SMART_PTR_DEFINITIONS(Node)
  explicit Node(const std::string& name, const NodeOptions& options = NodeOptions()) : Node(name, "", options) {}
  Node(const std::string& name, const std::string& space, const NodeOptions& options = NodeOptions());
  virtual ~Node();

  // --- who it is
  const char* get_name() const { return base_->get_name(); }
  const char* get_namespace() const { return base_->get_namespace(); }
  const char* get_fully_qualified_name() const { return base_->get_fully_qualified_name(); }
  const std::string& get_sub_namespace() const { return sub_namespace_; }
  std::string get_effective_namespace() const;
  Node::SharedPtr create_sub_node(const std::string& sub_namespace);
  Logger get_logger() const { return logger_; }
  Clock::SharedPtr get_clock() { return clock_; }
  Clock::ConstSharedPtr get_clock() const { return clock_; }
  Time now() const { return clock_->now(); }
  const NodeOptions& get_node_options() const { return options_; }
  node_interfaces::NodeBaseInterface::SharedPtr get_node_base_interface() { return base_; }
  node_interfaces::NodeParametersInterface::SharedPtr get_node_parameters_interface() { return parameters_; }

  // --- what it makes
  CallbackGroup::SharedPtr create_callback_group(CallbackGroupType type, bool automatically_add = true) {
    return base_->create_callback_group(type, automatically_add);
  }
  template <class MessageT, class AllocatorT = std::allocator<void>>
  std::shared_ptr<Publisher<MessageT, AllocatorT>> create_publisher(
      const std::string& topic, const QoS& qos, const PublisherOptionsWithAllocator<AllocatorT>& = {}) {
    auto made = base_->kernel().create_publisher(
        {.topic = extended(topic), .type = &convoy::ros::MessageTypeOf<MessageT>::instance(), .qos = qos.offered()});
    if (!made) detail::throw_create(made.error(), "topic", topic);
    return std::make_shared<Publisher<MessageT, AllocatorT>>(std::move(*made), qos);
  }
  template <class MessageT, class CallbackT, class AllocatorT = std::allocator<void>>
  std::shared_ptr<Subscription<MessageT, AllocatorT>> create_subscription(
      const std::string& topic, const QoS& qos, CallbackT&& callback,
      const SubscriptionOptionsWithAllocator<AllocatorT>& options = {}) {
    using Callback = std::decay_t<CallbackT>;
    auto made = base_->kernel().create_subscription(
        {.topic = extended(topic), .type = &convoy::ros::MessageTypeOf<MessageT>::instance(), .qos = qos.requested(),
         .takes_ownership = detail::CallbackShape<Callback, MessageT>::owns, .group = group(options.callback_group),
         .callback = [simulation = &simulation(), who = about("topic", topic),
                      call = Callback(std::forward<CallbackT>(callback))](convoy::nodes::Delivery& d) mutable {
           simulation->guarded(who, [&] { detail::deliver<MessageT>(call, d); });
         }});
    if (!made) detail::throw_create(made.error(), "topic", topic);
    return std::make_shared<Subscription<MessageT, AllocatorT>>(std::move(*made), qos);
  }
  // The type by its name, "std_msgs/msg/String"; its package need not be there.
  template <class AllocatorT = std::allocator<void>>
  std::shared_ptr<GenericPublisher> create_generic_publisher(const std::string& topic, const std::string& type, const QoS& qos,
                                                             const PublisherOptionsWithAllocator<AllocatorT>& = {}) {
    return create_generic_publisher(topic, detail::generic_type(type), qos);
  }
  std::shared_ptr<GenericPublisher> create_generic_publisher(const std::string& topic, const convoy::nodes::MessageType& type,
                                                             const QoS& qos);
  template <class CallbackT, class AllocatorT = std::allocator<void>>
  std::shared_ptr<GenericSubscription> create_generic_subscription(
      const std::string& topic, const std::string& type, const QoS& qos, CallbackT&& callback,
      const SubscriptionOptionsWithAllocator<AllocatorT>& options = {}) {
    using Callback = std::decay_t<CallbackT>;
    auto made = base_->kernel().create_subscription(
        {.topic = extended(topic), .type = &detail::generic_type(type), .qos = qos.requested(),
         .takes_ownership = detail::CallbackShape<Callback, SerializedMessage>::owns, .group = group(options.callback_group),
         .callback = [simulation = &simulation(), who = about("topic", topic),
                      call = Callback(std::forward<CallbackT>(callback))](convoy::nodes::Delivery& d) mutable {
           simulation->guarded(who, [&] { detail::deliver_bytes(call, d); });
         }});
    if (!made) detail::throw_create(made.error(), "topic", topic);
    return std::make_shared<GenericSubscription>(std::move(*made), qos);
  }
  template <class Rep, class Period, class CallbackT>
  std::shared_ptr<WallTimer<std::decay_t<CallbackT>>> create_wall_timer(std::chrono::duration<Rep, Period> period,
                                                                        CallbackT callback,
                                                                        CallbackGroup::SharedPtr in = nullptr,
                                                                        bool autostart = true) {
    auto timer = std::make_shared<WallTimer<std::decay_t<CallbackT>>>();
    start_timer(*timer, checked(period), std::move(callback), in, autostart);
    return timer;
  }
  template <class Rep, class Period, class CallbackT>
  std::shared_ptr<GenericTimer<std::decay_t<CallbackT>>> create_timer(std::chrono::duration<Rep, Period> period,
                                                                      CallbackT callback,
                                                                      CallbackGroup::SharedPtr in = nullptr,
                                                                      bool autostart = true) {
    auto timer = std::make_shared<GenericTimer<std::decay_t<CallbackT>>>();
    start_timer(*timer, checked(period), std::move(callback), in, autostart);
    return timer;
  }
  template <class ServiceT, class CallbackT>
  std::shared_ptr<Service<ServiceT>> create_service(const std::string& name, CallbackT&& callback,
                                                    const QoS& = ServicesQoS(), CallbackGroup::SharedPtr in = nullptr) {
    auto service = std::make_shared<Service<ServiceT>>();
    auto made = base_->kernel().create_service(
        {.service = extended(name), .type = &convoy::ros::service_type_of<ServiceT>(), .group = group(in),
         .callback = [simulation = &simulation(), who = about("service", name),
                      weak = std::weak_ptr<Service<ServiceT>>(service),
                      call = std::decay_t<CallbackT>(std::forward<CallbackT>(callback))](convoy::nodes::Delivery& d) mutable {
           if (const auto self = weak.lock()) simulation->guarded(who, [&] { self->handle(call, d); });
         }});
    if (!made) detail::throw_create(made.error(), "service", name);
    service->set_kernel(std::move(*made));
    return service;
  }
  template <class ServiceT>
  std::shared_ptr<Client<ServiceT>> create_client(const std::string& name, const QoS& = ServicesQoS(),
                                                  CallbackGroup::SharedPtr in = nullptr) {
    auto client = std::make_shared<Client<ServiceT>>(simulation());
    auto made = base_->kernel().create_client(
        {.service = extended(name), .type = &convoy::ros::service_type_of<ServiceT>(), .group = group(in),
         .callback = [simulation = &simulation(), who = about("client of", name),
                      weak = std::weak_ptr<Client<ServiceT>>(client)](convoy::nodes::Delivery& d) {
           if (const auto self = weak.lock()) simulation->guarded(who, [&] { self->handle(d); });
         }});
    if (!made) detail::throw_create(made.error(), "service", name);
    client->set_kernel(std::move(*made));
    return client;
  }

  // --- parameters
  using Descriptor = rcl_interfaces::msg::ParameterDescriptor;
  const ParameterValue& declare_parameter(const std::string& name, const ParameterValue& value,
                                          const Descriptor& descriptor = Descriptor(), bool ignore_override = false) {
    return parameters_->declare_parameter(name, value, descriptor, ignore_override);
  }
  const ParameterValue& declare_parameter(const std::string& name, ParameterType type, const Descriptor& descriptor = Descriptor(),
                                          bool ignore_override = false) {
    return parameters_->declare_parameter(name, type, descriptor, ignore_override);
  }
  template <class T>
  auto declare_parameter(const std::string& name, const T& value, const Descriptor& descriptor = Descriptor(),
                         bool ignore_override = false) {
    const ParameterValue& given = declare_parameter(name, ParameterValue(value), descriptor, ignore_override);
    return given.get<std::conditional_t<std::is_convertible_v<T, std::string>, std::string, T>>();
  }
  template <class T>
  T declare_parameter(const std::string& name, const Descriptor& descriptor = Descriptor(), bool ignore_override = false) {
    const auto type = static_cast<ParameterType>(
        convoy::nodes::ParameterValue(std::in_place_type<detail::Stored<T>>).index());
    const ParameterValue& given = declare_parameter(name, type, descriptor, ignore_override);
    if (given.get_type() == PARAMETER_NOT_SET) throw exceptions::ParameterUninitializedException(name);
    return given.get<T>();
  }
  template <class T>
  std::vector<T> declare_parameters(const std::string& prefix, const std::map<std::string, T>& parameters,
                                    bool ignore_overrides = false) {
    std::vector<T> values;
    for (const auto& [name, value] : parameters)
      values.push_back(declare_parameter(prefix.empty() ? name : prefix + "." + name, value, Descriptor(), ignore_overrides));
    return values;
  }
  void undeclare_parameter(const std::string& name) { parameters_->undeclare_parameter(name); }
  bool has_parameter(const std::string& name) const { return parameters_->has_parameter(name); }
  rcl_interfaces::msg::SetParametersResult set_parameter(const Parameter& parameter) {
    return parameters_->set_parameters_atomically({parameter});
  }
  std::vector<rcl_interfaces::msg::SetParametersResult> set_parameters(const std::vector<Parameter>& parameters) {
    return parameters_->set_parameters(parameters);
  }
  rcl_interfaces::msg::SetParametersResult set_parameters_atomically(const std::vector<Parameter>& parameters) {
    return parameters_->set_parameters_atomically(parameters);
  }
  Parameter get_parameter(const std::string& name) const { return parameters_->get_parameter(name); }
  bool get_parameter(const std::string& name, Parameter& parameter) const {
    return parameters_->get_parameter(name, parameter);
  }
  template <class T>
  bool get_parameter(const std::string& name, T& value) const {
    Parameter parameter;
    if (!parameters_->get_parameter(name, parameter)) return false;
    value = parameter.get_value<T>();
    return true;
  }
  template <class T>
  bool get_parameter_or(const std::string& name, T& value, const T& otherwise) const {
    const bool found = get_parameter(name, value);
    if (!found) value = otherwise;
    return found;
  }
  template <class T>
  T get_parameter_or(const std::string& name, const T& otherwise) const {
    T value{};
    get_parameter_or(name, value, otherwise);
    return value;
  }
  std::vector<Parameter> get_parameters(const std::vector<std::string>& names) const {
    return parameters_->get_parameters(names);
  }
  template <class T>
  bool get_parameters(const std::string& prefix, std::map<std::string, T>& values) const {
    std::map<std::string, Parameter> found;
    if (!parameters_->get_parameters_by_prefix(prefix, found)) return false;
    for (const auto& [name, parameter] : found) values[name] = parameter.template get_value<T>();
    return true;
  }
  Descriptor describe_parameter(const std::string& name) const { return parameters_->describe_parameters({name})[0]; }
  std::vector<Descriptor> describe_parameters(const std::vector<std::string>& names) const {
    return parameters_->describe_parameters(names);
  }
  std::vector<std::uint8_t> get_parameter_types(const std::vector<std::string>& names) const {
    return parameters_->get_parameter_types(names);
  }
  rcl_interfaces::msg::ListParametersResult list_parameters(const std::vector<std::string>& prefixes,
                                                            std::uint64_t depth) const {
    return parameters_->list_parameters(prefixes, depth);
  }
  using OnSetParametersCallbackType = OnSetParametersCallbackHandle::OnSetParametersCallbackType;
  PreSetParametersCallbackHandle::SharedPtr add_pre_set_parameters_callback(
      PreSetParametersCallbackHandle::PreSetParametersCallbackType callback) {
    return parameters_->add_pre_set_parameters_callback(std::move(callback));
  }
  [[nodiscard]] OnSetParametersCallbackHandle::SharedPtr add_on_set_parameters_callback(OnSetParametersCallbackType callback) {
    return parameters_->add_on_set_parameters_callback(std::move(callback));
  }
  PostSetParametersCallbackHandle::SharedPtr add_post_set_parameters_callback(
      PostSetParametersCallbackHandle::PostSetParametersCallbackType callback) {
    return parameters_->add_post_set_parameters_callback(std::move(callback));
  }
  void remove_pre_set_parameters_callback(const PreSetParametersCallbackHandle* h) { parameters_->remove_callback(h->id); }
  void remove_on_set_parameters_callback(const OnSetParametersCallbackHandle* h) { parameters_->remove_callback(h->id); }
  void remove_post_set_parameters_callback(const PostSetParametersCallbackHandle* h) { parameters_->remove_callback(h->id); }

  // --- who else is there
  std::vector<std::string> get_node_names() const;
  std::map<std::string, std::vector<std::string>> get_topic_names_and_types() const;
  std::map<std::string, std::vector<std::string>> get_service_names_and_types() const;
  std::size_t count_publishers(const std::string& topic) const;
  std::size_t count_subscribers(const std::string& topic) const;
  std::size_t count_services(const std::string& service) const;
  std::size_t count_clients(const std::string& service) const;

 protected:
  Node(const Node& other, const std::string& sub_namespace);

 private:
  convoy::ros::Simulation& simulation() const { return base_->simulation(); }
  std::string extended(const std::string& name) const;  // by the sub-namespace
  std::string about(const char* what, const std::string& name) const {
    return std::string(get_fully_qualified_name()) + ": callback of " + what + " '" + name + "'";
  }
  static convoy::nodes::CallbackGroup* group(const CallbackGroup::SharedPtr& in) { return in ? &in->kernel() : nullptr; }
  template <class Rep, class Period>
  static std::chrono::nanoseconds checked(std::chrono::duration<Rep, Period> period) {
    if (period < std::chrono::duration<Rep, Period>::zero()) throw std::invalid_argument("timer period cannot be negative");
    using Wide = std::chrono::duration<long double, std::nano>;
    if (std::chrono::duration_cast<Wide>(period) > Wide(std::chrono::nanoseconds::max()))
      throw std::invalid_argument("timer period must be less than std::chrono::nanoseconds::max()");
    return std::chrono::duration_cast<std::chrono::nanoseconds>(period);
  }
  template <class CallbackT>
  void start_timer(TimerBase& timer, std::chrono::nanoseconds period, CallbackT callback, const CallbackGroup::SharedPtr& in,
                   bool autostart) {
    timer.set_kernel(base_->kernel().create_timer(
        {.period = period, .autostart = autostart, .group = group(in),
         .callback = [simulation = &simulation(), who = std::string(get_fully_qualified_name()) + ": callback of a timer",
                      self = &timer, call = std::move(callback)]() mutable {
           simulation->guarded(who, [&] { detail::call_timer(call, *self); });
         }}));
  }

  NodeOptions options_;
  node_interfaces::NodeBaseInterface::SharedPtr base_;
  node_interfaces::NodeParametersInterface::SharedPtr parameters_;
  Clock::SharedPtr clock_;
  Logger logger_;
  std::string sub_namespace_;
};

// The free functions of the same names.
template <class NodeT, class Rep, class Period, class CallbackT>
auto create_timer(NodeT node, Clock::SharedPtr, std::chrono::duration<Rep, Period> period, CallbackT&& callback,
                  CallbackGroup::SharedPtr group = nullptr, bool autostart = true) {
  return node->create_timer(period, std::forward<CallbackT>(callback), group, autostart);
}
template <class NodeT, class CallbackT>
auto create_timer(NodeT node, Clock::SharedPtr clock, Duration period, CallbackT&& callback,
                  CallbackGroup::SharedPtr group = nullptr, bool autostart = true) {
  return create_timer(node, clock, period.to_chrono<std::chrono::nanoseconds>(), std::forward<CallbackT>(callback), group,
                      autostart);
}
template <class MessageT, class NodeT>
auto create_publisher(NodeT& node, const std::string& topic, const QoS& qos, const PublisherOptions& options = {}) {
  return node.template create_publisher<MessageT>(topic, qos, options);
}
template <class MessageT, class NodeT, class CallbackT>
auto create_subscription(NodeT& node, const std::string& topic, const QoS& qos, CallbackT&& callback,
                         const SubscriptionOptions& options = {}) {
  return node.template create_subscription<MessageT>(topic, qos, std::forward<CallbackT>(callback), options);
}

}  // namespace rclcpp
