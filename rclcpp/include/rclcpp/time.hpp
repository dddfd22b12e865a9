// rclcpp::Time: nanoseconds of one kind of clock. All kinds show simulated time here, but do not mix.
#pragma once

#include <builtin_interfaces/msg/time.hpp>

#include "rclcpp/duration.hpp"

enum rcl_clock_type_e { RCL_CLOCK_UNINITIALIZED = 0, RCL_ROS_TIME, RCL_SYSTEM_TIME, RCL_STEADY_TIME };
using rcl_clock_type_t = rcl_clock_type_e;
using rcl_time_point_value_t = std::int64_t;
using rcl_duration_value_t = std::int64_t;

namespace rclcpp {

class Clock;

class Time {
 public:
  Time(std::int32_t seconds, std::uint32_t nanoseconds, rcl_clock_type_t type = RCL_SYSTEM_TIME);
  explicit Time(std::int64_t nanoseconds = 0, rcl_clock_type_t type = RCL_SYSTEM_TIME)
      : ns_(nanoseconds), type_(type) {}
  Time(const Time&) = default;
  Time(const builtin_interfaces::msg::Time& msg, rcl_clock_type_t type = RCL_ROS_TIME);  // NOLINT: implicit, as there
  Time& operator=(const Time&) = default;
  Time& operator=(const builtin_interfaces::msg::Time& msg);
  static Time max(rcl_clock_type_t type = RCL_SYSTEM_TIME) { return Time(INT64_MAX, type); }

  operator builtin_interfaces::msg::Time() const;  // NOLINT: implicit, as there
  std::int64_t nanoseconds() const { return ns_; }
  double seconds() const { return std::chrono::duration<double>(std::chrono::nanoseconds(ns_)).count(); }
  rcl_clock_type_t get_clock_type() const { return type_; }

  // std::runtime_error if the kinds of clock differ.
  bool operator==(const Time& other) const { return same(other), ns_ == other.ns_; }
  bool operator!=(const Time& other) const { return !(*this == other); }
  bool operator<(const Time& other) const { return same(other), ns_ < other.ns_; }
  bool operator<=(const Time& other) const { return same(other), ns_ <= other.ns_; }
  bool operator>(const Time& other) const { return same(other), ns_ > other.ns_; }
  bool operator>=(const Time& other) const { return same(other), ns_ >= other.ns_; }
  // std::overflow_error or std::underflow_error beyond 64 bits.
  Time operator+(const Duration& d) const { return Time((Duration::from_nanoseconds(ns_) + d).nanoseconds(), type_); }
  Time operator-(const Duration& d) const { return Time((Duration::from_nanoseconds(ns_) - d).nanoseconds(), type_); }
  Duration operator-(const Time& other) const;
  Time& operator+=(const Duration& d) { return *this = *this + d; }
  Time& operator-=(const Duration& d) { return *this = *this - d; }

 private:
  void same(const Time& other) const;

  std::int64_t ns_;
  rcl_clock_type_t type_;
};

inline Time operator+(const Duration& d, const Time& t) { return t + d; }
builtin_interfaces::msg::Time convert_rcl_time_to_sec_nanos(rcl_time_point_value_t time);

}  // namespace rclcpp

namespace builtin_interfaces::msg {
inline Time operator+(const Time& t, const rclcpp::Duration& d) { return rclcpp::Time(t) + d; }
inline Time operator-(const Time& t, const rclcpp::Duration& d) { return rclcpp::Time(t) - d; }
}  // namespace builtin_interfaces::msg
