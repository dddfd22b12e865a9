// A parameter's value: the kernel's variant with rclcpp's manners.
#pragma once

#include <rcl_interfaces/msg/parameter_type.hpp>
#include <rcl_interfaces/msg/parameter_value.hpp>

#include <ostream>
#include <string>
#include <type_traits>
#include <vector>

#include "nodes/parameters.h"

namespace rclcpp {

enum ParameterType : std::uint8_t {
  PARAMETER_NOT_SET = rcl_interfaces::msg::ParameterType::PARAMETER_NOT_SET,
  PARAMETER_BOOL = rcl_interfaces::msg::ParameterType::PARAMETER_BOOL,
  PARAMETER_INTEGER = rcl_interfaces::msg::ParameterType::PARAMETER_INTEGER,
  PARAMETER_DOUBLE = rcl_interfaces::msg::ParameterType::PARAMETER_DOUBLE,
  PARAMETER_STRING = rcl_interfaces::msg::ParameterType::PARAMETER_STRING,
  PARAMETER_BYTE_ARRAY = rcl_interfaces::msg::ParameterType::PARAMETER_BYTE_ARRAY,
  PARAMETER_BOOL_ARRAY = rcl_interfaces::msg::ParameterType::PARAMETER_BOOL_ARRAY,
  PARAMETER_INTEGER_ARRAY = rcl_interfaces::msg::ParameterType::PARAMETER_INTEGER_ARRAY,
  PARAMETER_DOUBLE_ARRAY = rcl_interfaces::msg::ParameterType::PARAMETER_DOUBLE_ARRAY,
  PARAMETER_STRING_ARRAY = rcl_interfaces::msg::ParameterType::PARAMETER_STRING_ARRAY,
};
std::string to_string(ParameterType type);
std::ostream& operator<<(std::ostream& out, ParameterType type);

class ParameterTypeException : public std::runtime_error {
 public:
  ParameterTypeException(ParameterType expected, ParameterType actual)
      : std::runtime_error("expected [" + to_string(expected) + "] got [" + to_string(actual) + "]") {}
};

namespace detail {

template <class T>
struct IsVector : std::false_type {};
template <class T>
struct IsVector<std::vector<T>> : std::true_type {};

// What a C++ type is stored as.
template <class T>
auto stored_as() {
  if constexpr (std::is_same_v<T, bool>) return bool{};
  else if constexpr (std::is_integral_v<T> || std::is_enum_v<T>) return std::int64_t{};
  else if constexpr (std::is_floating_point_v<T>) return double{};
  else if constexpr (std::is_convertible_v<T, std::string>) return std::string{};
  else if constexpr (IsVector<T>::value) {
    using E = typename T::value_type;
    if constexpr (std::is_same_v<E, std::uint8_t>) return std::vector<std::uint8_t>{};
    else return std::vector<decltype(stored_as<E>())>{};
  }
}
template <class T>
using Stored = decltype(stored_as<T>());

template <ParameterType type>
using AlternativeOf = std::variant_alternative_t<type, convoy::nodes::ParameterValue>;

}  // namespace detail

class ParameterValue {
 public:
  ParameterValue() = default;
  explicit ParameterValue(convoy::nodes::ParameterValue value) : value_(std::move(value)) {}
  explicit ParameterValue(const rcl_interfaces::msg::ParameterValue& value);
  template <class T>
  requires(!std::is_void_v<detail::Stored<T>>) explicit ParameterValue(const T& value) {
    using S = detail::Stored<T>;
    if constexpr (std::is_same_v<S, T> || !detail::IsVector<T>::value) value_ = static_cast<S>(value);
    else value_ = S(value.begin(), value.end());
  }

  ParameterType get_type() const { return static_cast<ParameterType>(value_.index()); }
  rcl_interfaces::msg::ParameterValue to_value_msg() const;
  const convoy::nodes::ParameterValue& value() const { return value_; }

  template <ParameterType type>
  const auto& get() const {
    if (get_type() != type) throw ParameterTypeException(type, get_type());
    return std::get<type>(value_);
  }
  // Throws ParameterTypeException if it is of another type; narrower numbers are cast.
  template <class T>
  T get() const {
    using S = detail::Stored<T>;
    const S* found = std::get_if<S>(&value_);
    if (!found) {
      const convoy::nodes::ParameterValue wanted(std::in_place_type<S>);
      throw ParameterTypeException(static_cast<ParameterType>(wanted.index()), get_type());
    }
    if constexpr (std::is_same_v<S, T> || !detail::IsVector<T>::value) return static_cast<T>(*found);
    else return T(found->begin(), found->end());
  }
  friend bool operator==(const ParameterValue&, const ParameterValue&) = default;

 private:
  convoy::nodes::ParameterValue value_;
};
std::string to_string(const ParameterValue& value);

}  // namespace rclcpp
