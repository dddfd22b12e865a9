// What rclcpp::Node and rclcpp_lifecycle::LifecycleNode have in common: all but the way to themselves.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "convoy_ros/simulation.hpp"
#include "convoy_ros/types.hpp"
#include "rclcpp/create_client.hpp"
#include "rclcpp/create_publisher.hpp"
#include "rclcpp/create_service.hpp"
#include "rclcpp/create_subscription.hpp"
#include "rclcpp/create_timer.hpp"
#include "rclcpp/generic_publisher.hpp"
#include "rclcpp/generic_subscription.hpp"
#include "rclcpp/node_interfaces/node_interfaces.hpp"
#include "rclcpp/node_options.hpp"

namespace rclcpp::detail {

// The form of a type that generic publishers and subscriptions use; std::runtime_error: no name of a type.
const convoy::nodes::MessageType& generic_type(const std::string& type);

// The functions of a node of the simulation that is current on the thread that makes it.
class NodeFunctions {
 public:
  NodeFunctions& operator=(const NodeFunctions&) = delete;
  virtual ~NodeFunctions();

  // --- identity
  const char* get_name() const { return base_->get_name(); }
  const char* get_namespace() const { return base_->get_namespace(); }
  const char* get_fully_qualified_name() const { return base_->get_fully_qualified_name(); }
  const std::string& get_sub_namespace() const { return sub_namespace_; }
  std::string get_effective_namespace() const;
  Logger get_logger() const { return parts_->logging.get_logger(); }
  Clock::SharedPtr get_clock() { return parts_->clock.get_clock(); }
  Clock::ConstSharedPtr get_clock() const { return std::as_const(parts_->clock).get_clock(); }
  Time now() const { return get_clock()->now(); }
  const NodeOptions& get_node_options() const { return options_; }

  // --- what it makes
  CallbackGroup::SharedPtr create_callback_group(CallbackGroupType type, bool automatically_add = true) {
    return base_->create_callback_group(type, automatically_add);
  }
  template <class MessageT, class AllocatorT = std::allocator<void>, class PublisherT = Publisher<MessageT, AllocatorT>>
  std::shared_ptr<PublisherT> create_publisher(const std::string& topic, const QoS& qos,
                                               const PublisherOptionsWithAllocator<AllocatorT>& options = {}) {
    return detail::make_publisher<MessageT, AllocatorT, PublisherT>(parameters_.get(), parts_->topics, extended(topic),
                                                                    qos, options);
  }
  template <class MessageT, class CallbackT, class AllocatorT = std::allocator<void>,
            class SubscriptionT = Subscription<MessageT, AllocatorT>>
  std::shared_ptr<SubscriptionT> create_subscription(const std::string& topic, const QoS& qos, CallbackT&& callback,
                                                     const SubscriptionOptionsWithAllocator<AllocatorT>& options = {}) {
    return detail::make_subscription<MessageT, AllocatorT, SubscriptionT>(
        parameters_.get(), parts_->topics, extended(topic), qos, std::forward<CallbackT>(callback), options);
  }
  // The type by its name, "std_msgs/msg/String"; its package need not be there.
  template <class AllocatorT = std::allocator<void>>
  std::shared_ptr<GenericPublisher> create_generic_publisher(const std::string& topic, const std::string& type,
                                                             const QoS& qos,
                                                             const PublisherOptionsWithAllocator<AllocatorT>& = {}) {
    return create_generic_publisher(topic, detail::generic_type(type), qos);
  }
  std::shared_ptr<GenericPublisher> create_generic_publisher(const std::string& topic,
                                                             const convoy::nodes::MessageType& type, const QoS& qos);
  template <class CallbackT, class AllocatorT = std::allocator<void>>
  std::shared_ptr<GenericSubscription> create_generic_subscription(
      const std::string& topic, const std::string& type, const QoS& qos, CallbackT&& callback,
      const SubscriptionOptionsWithAllocator<AllocatorT>& options = {}) {
    using Callback = std::decay_t<CallbackT>;
    auto made = base_->kernel().create_subscription(
        {.topic = extended(topic),
         .type = &detail::generic_type(type),
         .qos = qos.requested(),
         .takes_ownership = detail::CallbackShape<Callback, SerializedMessage>::owns,
         .group = detail::kernel_of(options.callback_group),
         .callback = [simulation = &base_->simulation(), who = &base_->about("topic", topic),
                      call = Callback(std::forward<CallbackT>(callback))](convoy::nodes::Delivery& d) mutable {
           simulation->guarded(*who, [&] { detail::deliver_bytes(call, d); });
         }});
    if (!made) detail::throw_create(made.error(), "topic", topic);
    return std::make_shared<GenericSubscription>(std::move(*made), qos);
  }
  template <class Rep, class Period, class CallbackT>
  std::shared_ptr<WallTimer<std::decay_t<CallbackT>>> create_wall_timer(std::chrono::duration<Rep, Period> period,
                                                                        CallbackT callback,
                                                                        CallbackGroup::SharedPtr group = nullptr,
                                                                        bool autostart = true) {
    return detail::make_timer<WallTimer<std::decay_t<CallbackT>>>(*base_, detail::checked_period(period),
                                                                  std::move(callback), group, autostart);
  }
  template <class Rep, class Period, class CallbackT>
  std::shared_ptr<GenericTimer<std::decay_t<CallbackT>>> create_timer(std::chrono::duration<Rep, Period> period,
                                                                      CallbackT callback,
                                                                      CallbackGroup::SharedPtr group = nullptr,
                                                                      bool autostart = true) {
    return detail::make_timer<GenericTimer<std::decay_t<CallbackT>>>(*base_, detail::checked_period(period),
                                                                     std::move(callback), group, autostart);
  }
  template <class ServiceT, class CallbackT>
  std::shared_ptr<Service<ServiceT>> create_service(const std::string& name, CallbackT&& callback,
                                                    const QoS& = ServicesQoS(),
                                                    CallbackGroup::SharedPtr group = nullptr) {
    return detail::make_service<ServiceT>(*base_, extended(name), std::forward<CallbackT>(callback), group);
  }
  template <class ServiceT, class CallbackT>
  std::shared_ptr<Service<ServiceT>> create_service(const std::string& name, CallbackT&& callback,
                                                    const rmw_qos_profile_t&,
                                                    CallbackGroup::SharedPtr group = nullptr) {
    return detail::make_service<ServiceT>(*base_, extended(name), std::forward<CallbackT>(callback), group);
  }
  template <class ServiceT>
  std::shared_ptr<Client<ServiceT>> create_client(const std::string& name, const QoS& = ServicesQoS(),
                                                  CallbackGroup::SharedPtr group = nullptr) {
    return detail::make_client<ServiceT>(*base_, extended(name), group);
  }
  template <class ServiceT>
  std::shared_ptr<Client<ServiceT>> create_client(const std::string& name, const rmw_qos_profile_t&,
                                                  CallbackGroup::SharedPtr group = nullptr) {
    return detail::make_client<ServiceT>(*base_, extended(name), group);
  }

  // --- parameters
  using Descriptor = rcl_interfaces::msg::ParameterDescriptor;
  const ParameterValue& declare_parameter(const std::string& name, const ParameterValue& value,
                                          const Descriptor& descriptor = Descriptor(), bool ignore_override = false) {
    return parameters_->declare_parameter(name, value, descriptor, ignore_override);
  }
  const ParameterValue& declare_parameter(const std::string& name, ParameterType type,
                                          const Descriptor& descriptor = Descriptor(), bool ignore_override = false) {
    return parameters_->declare_parameter(name, type, descriptor, ignore_override);
  }
  template <class T>
  auto declare_parameter(const std::string& name, const T& value, const Descriptor& descriptor = Descriptor(),
                         bool ignore_override = false) {
    const ParameterValue& given = declare_parameter(name, ParameterValue(value), descriptor, ignore_override);
    return given.get<std::conditional_t<std::is_convertible_v<T, std::string>, std::string, T>>();
  }
  template <class T>
  T declare_parameter(const std::string& name, const Descriptor& descriptor = Descriptor(),
                      bool ignore_override = false) {
    const auto type =
        static_cast<ParameterType>(convoy::nodes::ParameterValue(std::in_place_type<detail::Stored<T>>).index());
    const ParameterValue& given = declare_parameter(name, type, descriptor, ignore_override);
    if (given.get_type() == PARAMETER_NOT_SET) throw exceptions::ParameterUninitializedException(name);
    return given.get<T>();
  }
  template <class T>
  std::vector<T> declare_parameters(const std::string& prefix, const std::map<std::string, T>& parameters,
                                    bool ignore_overrides = false) {
    std::vector<T> values;
    for (const auto& [name, value] : parameters)
      values.push_back(
          declare_parameter(prefix.empty() ? name : prefix + "." + name, value, Descriptor(), ignore_overrides));
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
  using PreSetParametersCallbackHandle = rclcpp::PreSetParametersCallbackHandle;
  using OnSetParametersCallbackHandle = rclcpp::OnSetParametersCallbackHandle;
  using PostSetParametersCallbackHandle = rclcpp::PostSetParametersCallbackHandle;
  using PreSetParametersCallbackType = PreSetParametersCallbackHandle::PreSetParametersCallbackType;
  using OnSetParametersCallbackType = OnSetParametersCallbackHandle::OnSetParametersCallbackType;
  using PostSetParametersCallbackType = PostSetParametersCallbackHandle::PostSetParametersCallbackType;
  PreSetParametersCallbackHandle::SharedPtr add_pre_set_parameters_callback(
      PreSetParametersCallbackHandle::PreSetParametersCallbackType callback) {
    return parameters_->add_pre_set_parameters_callback(std::move(callback));
  }
  [[nodiscard]] OnSetParametersCallbackHandle::SharedPtr add_on_set_parameters_callback(
      OnSetParametersCallbackType callback) {
    return parameters_->add_on_set_parameters_callback(std::move(callback));
  }
  PostSetParametersCallbackHandle::SharedPtr add_post_set_parameters_callback(
      PostSetParametersCallbackHandle::PostSetParametersCallbackType callback) {
    return parameters_->add_post_set_parameters_callback(std::move(callback));
  }
  void remove_pre_set_parameters_callback(const PreSetParametersCallbackHandle* h) {
    parameters_->remove_callback(h->id);
  }
  void remove_on_set_parameters_callback(const OnSetParametersCallbackHandle* h) {
    parameters_->remove_callback(h->id);
  }
  void remove_post_set_parameters_callback(const PostSetParametersCallbackHandle* h) {
    parameters_->remove_callback(h->id);
  }

  // --- the graph around it
  std::vector<std::string> get_node_names() const { return parts_->graph.get_node_names(); }
  std::map<std::string, std::vector<std::string>> get_topic_names_and_types() const {
    return parts_->graph.get_topic_names_and_types();
  }
  std::map<std::string, std::vector<std::string>> get_service_names_and_types() const {
    return parts_->graph.get_service_names_and_types();
  }
  std::map<std::string, std::vector<std::string>> get_service_names_and_types_by_node(const std::string& node,
                                                                                      const std::string& space) const {
    return parts_->graph.get_service_names_and_types_by_node(node, space);
  }
  std::size_t count_publishers(const std::string& topic) const { return parts_->graph.count_publishers(topic); }
  std::size_t count_subscribers(const std::string& topic) const { return parts_->graph.count_subscribers(topic); }
  std::size_t count_services(const std::string& service) const { return parts_->graph.count_services(service); }
  std::size_t count_clients(const std::string& service) const { return parts_->graph.count_clients(service); }
  std::vector<TopicEndpointInfo> get_publishers_info_by_topic(const std::string& topic, bool no_mangle = false) const {
    return parts_->graph.get_publishers_info_by_topic(topic, no_mangle);
  }
  std::vector<TopicEndpointInfo> get_subscriptions_info_by_topic(const std::string& topic,
                                                                 bool no_mangle = false) const {
    return parts_->graph.get_subscriptions_info_by_topic(topic, no_mangle);
  }
  Event::SharedPtr get_graph_event() { return parts_->graph.get_graph_event(); }
  void wait_for_graph_change(Event::SharedPtr event, std::chrono::nanoseconds timeout) {
    parts_->graph.wait_for_graph_change(std::move(event), timeout);
  }
  std::size_t count_graph_users() const { return parts_->graph.count_graph_users(); }

  // --- its interfaces
  node_interfaces::NodeBaseInterface::SharedPtr get_node_base_interface() { return base_; }
  node_interfaces::NodeClockInterface::SharedPtr get_node_clock_interface() { return {parts_, &parts_->clock}; }
  node_interfaces::NodeGraphInterface::SharedPtr get_node_graph_interface() { return {parts_, &parts_->graph}; }
  node_interfaces::NodeLoggingInterface::SharedPtr get_node_logging_interface() { return {parts_, &parts_->logging}; }
  node_interfaces::NodeParametersInterface::SharedPtr get_node_parameters_interface() { return parameters_; }
  node_interfaces::NodeServicesInterface::SharedPtr get_node_services_interface() {
    return {parts_, &parts_->services};
  }
  node_interfaces::NodeTimeSourceInterface::SharedPtr get_node_time_source_interface() {
    return {parts_, &parts_->time_source};
  }
  node_interfaces::NodeTimersInterface::SharedPtr get_node_timers_interface() { return {parts_, &parts_->timers}; }
  node_interfaces::NodeTopicsInterface::SharedPtr get_node_topics_interface() { return {parts_, &parts_->topics}; }
  node_interfaces::NodeTypeDescriptionsInterface::SharedPtr get_node_type_descriptions_interface() {
    return {parts_, &parts_->type_descriptions};
  }
  node_interfaces::NodeWaitablesInterface::SharedPtr get_node_waitables_interface() {
    return {parts_, &parts_->waitables};
  }

 protected:
  NodeFunctions(const std::string& name, const std::string& space, const NodeOptions& options);
  NodeFunctions(const NodeFunctions& other, const std::string& sub_namespace);

 private:
  // One object, to which the interfaces that are given out point.
  struct Parts {
    Parts(const node_interfaces::NodeBaseInterface::SharedPtr& base, rcl_clock_type_t clock_type, Logger logger);
    node_interfaces::NodeTimersInterface timers;
    node_interfaces::NodeTopicsInterface topics;
    node_interfaces::NodeServicesInterface services;
    node_interfaces::NodeGraphInterface graph;
    node_interfaces::NodeClockInterface clock;
    node_interfaces::NodeLoggingInterface logging;
    node_interfaces::NodeWaitablesInterface waitables;
    node_interfaces::NodeTimeSourceInterface time_source;
    node_interfaces::NodeTypeDescriptionsInterface type_descriptions;
  };
  std::string extended(const std::string& name) const;  // by the sub-namespace

  NodeOptions options_;
  node_interfaces::NodeBaseInterface::SharedPtr base_;
  node_interfaces::NodeParametersInterface::SharedPtr parameters_;
  std::shared_ptr<Parts> parts_;
  std::string sub_namespace_;
};

}  // namespace rclcpp::detail
