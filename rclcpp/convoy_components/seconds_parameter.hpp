// A parameter that is a number of seconds, given as 2 or 2.5.
#pragma once

#include <stdexcept>
#include <string>

#include "rclcpp/node.hpp"

namespace convoy::ros {

// std::invalid_argument: not a number, below 0, or more than a run can have.
inline Duration seconds_parameter(rclcpp::Node& node, const std::string& name, double otherwise = 0) {
  rcl_interfaces::msg::ParameterDescriptor any;
  any.dynamic_typing = true;
  const rclcpp::ParameterValue& value = node.declare_parameter(name, rclcpp::ParameterValue(otherwise), any);
  double seconds = -1;
  if (value.get_type() == rclcpp::PARAMETER_DOUBLE) seconds = value.get<double>();
  if (value.get_type() == rclcpp::PARAMETER_INTEGER) seconds = static_cast<double>(value.get<std::int64_t>());
  if (!(seconds >= 0 && seconds <= 9e9))
    throw std::invalid_argument("parameter '" + name + "': not a number of seconds");
  return Duration(static_cast<std::int64_t>(static_cast<long double>(seconds) * 1e9L + 0.5L));
}

}  // namespace convoy::ros
