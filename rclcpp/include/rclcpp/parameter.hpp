// A parameter: a name and a value.
#pragma once

#include <rcl_interfaces/msg/parameter.hpp>

#include "rclcpp/exceptions/exceptions.hpp"
#include "rclcpp/parameter_value.hpp"

namespace rclcpp {

class Parameter {
 public:
  Parameter() = default;
  explicit Parameter(const std::string& name) : name_(name) {}
  Parameter(const std::string& name, const ParameterValue& value) : name_(name), value_(value) {}
  template <class T>
  requires(!std::is_same_v<std::decay_t<T>, ParameterValue>) Parameter(const std::string& name, T value)
      : name_(name), value_(ParameterValue(value)) {}
  Parameter(const std::string& name, const char* value) : name_(name), value_(ParameterValue(std::string(value))) {}

  const std::string& get_name() const { return name_; }
  ParameterType get_type() const { return value_.get_type(); }
  std::string get_type_name() const { return to_string(get_type()); }
  rcl_interfaces::msg::ParameterValue get_value_message() const { return value_.to_value_msg(); }
  const ParameterValue& get_parameter_value() const { return value_; }
  template <ParameterType type>
  decltype(auto) get_value() const {
    return value_.get<type>();
  }
  template <class T>
  T get_value() const {
    return value_.get<T>();
  }
  bool as_bool() const { return value_.get<PARAMETER_BOOL>(); }
  std::int64_t as_int() const { return value_.get<PARAMETER_INTEGER>(); }
  double as_double() const { return value_.get<PARAMETER_DOUBLE>(); }
  const std::string& as_string() const { return value_.get<PARAMETER_STRING>(); }
  const std::vector<std::uint8_t>& as_byte_array() const { return value_.get<PARAMETER_BYTE_ARRAY>(); }
  const std::vector<bool>& as_bool_array() const { return value_.get<PARAMETER_BOOL_ARRAY>(); }
  const std::vector<std::int64_t>& as_integer_array() const { return value_.get<PARAMETER_INTEGER_ARRAY>(); }
  const std::vector<double>& as_double_array() const { return value_.get<PARAMETER_DOUBLE_ARRAY>(); }
  const std::vector<std::string>& as_string_array() const { return value_.get<PARAMETER_STRING_ARRAY>(); }
  std::string value_to_string() const { return to_string(value_); }

  static Parameter from_parameter_msg(const rcl_interfaces::msg::Parameter& msg);
  rcl_interfaces::msg::Parameter to_parameter_msg() const;
  friend bool operator==(const Parameter&, const Parameter&) = default;

 private:
  std::string name_;
  ParameterValue value_;
};
std::ostream& operator<<(std::ostream& out, const Parameter& parameter);

}  // namespace rclcpp
