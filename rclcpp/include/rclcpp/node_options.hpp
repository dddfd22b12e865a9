// Options of a node. Arguments, overrides and the parameter rules have an effect; what has none here is stored.
#pragma once

#include <string>
#include <vector>

#include "rclcpp/context.hpp"
#include "rclcpp/parameter.hpp"
#include "rclcpp/publisher_options.hpp"

namespace rclcpp {

#define RCLCPP_DETAIL_OPTION(type, name, initial) \
 private:                                         \
  type name##_ = initial;                         \
                                                  \
 public:                                          \
  type name() const { return name##_; }           \
  NodeOptions& name(type value) { return name##_ = value, *this; }

class NodeOptions {
 public:
  NodeOptions() = default;
  RCLCPP_DETAIL_OPTION(bool, use_global_arguments, true)
  RCLCPP_DETAIL_OPTION(bool, enable_rosout, true)
  RCLCPP_DETAIL_OPTION(bool, use_intra_process_comms, false)
  RCLCPP_DETAIL_OPTION(bool, enable_topic_statistics, false)
  RCLCPP_DETAIL_OPTION(bool, start_parameter_services, true)
  RCLCPP_DETAIL_OPTION(bool, enable_logger_service, false)
  RCLCPP_DETAIL_OPTION(bool, start_parameter_event_publisher, true)
  RCLCPP_DETAIL_OPTION(bool, use_clock_thread, true)
  RCLCPP_DETAIL_OPTION(bool, allow_undeclared_parameters, false)
  RCLCPP_DETAIL_OPTION(bool, automatically_declare_parameters_from_overrides, false)
  RCLCPP_DETAIL_OPTION(rcl_clock_type_t, clock_type, RCL_ROS_TIME)

  Context::SharedPtr context() const { return context_; }
  NodeOptions& context(Context::SharedPtr value) { return context_ = std::move(value), *this; }
  const std::vector<std::string>& arguments() const { return arguments_; }
  NodeOptions& arguments(const std::vector<std::string>& value) { return arguments_ = value, *this; }
  std::vector<Parameter>& parameter_overrides() { return overrides_; }
  const std::vector<Parameter>& parameter_overrides() const { return overrides_; }
  NodeOptions& parameter_overrides(const std::vector<Parameter>& value) { return overrides_ = value, *this; }
  template <class T>
  NodeOptions& append_parameter_override(const std::string& name, const T& value) {
    return overrides_.emplace_back(name, ParameterValue(value)), *this;
  }
  const QoS& parameter_event_qos() const { return parameter_event_qos_; }
  NodeOptions& parameter_event_qos(const QoS& qos) { return parameter_event_qos_ = qos, *this; }
  const QoS& clock_qos() const { return clock_qos_; }
  NodeOptions& clock_qos(const QoS& qos) { return clock_qos_ = qos, *this; }
  const QoS& rosout_qos() const { return rosout_qos_; }
  NodeOptions& rosout_qos(const QoS& qos) { return rosout_qos_ = qos, *this; }

 private:
  Context::SharedPtr context_ = contexts::get_global_default_context();
  std::vector<std::string> arguments_;
  std::vector<Parameter> overrides_;
  QoS parameter_event_qos_ = ParameterEventsQoS(), clock_qos_ = ClockQoS(), rosout_qos_ = RosoutQoS();
};
#undef RCLCPP_DETAIL_OPTION

}  // namespace rclcpp
