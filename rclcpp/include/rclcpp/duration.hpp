// rclcpp::Duration: nanoseconds, with checks against overflow.
#pragma once

#include <chrono>
#include <cstdint>

#include <builtin_interfaces/msg/duration.hpp>

// rmw's: seconds and nanoseconds, both unsigned.
struct rmw_time_t {
  std::uint64_t sec, nsec;
};

namespace rclcpp {

class Duration {
 public:
  Duration(std::int32_t seconds, std::uint32_t nanoseconds);
  Duration(std::chrono::nanoseconds nanoseconds) : ns_(nanoseconds.count()) {}  // NOLINT: implicit, as there
  template <class Rep, class Period>
  Duration(const std::chrono::duration<Rep, Period>& duration)  // NOLINT: implicit, as there
      : ns_(std::chrono::duration_cast<std::chrono::nanoseconds>(duration).count()) {}
  Duration(const builtin_interfaces::msg::Duration& msg);  // NOLINT: implicit, as there
  Duration(const Duration&) = default;
  Duration() = default;
  Duration& operator=(const Duration&) = default;
  Duration& operator=(const builtin_interfaces::msg::Duration& msg) { return *this = Duration(msg); }
  static Duration from_nanoseconds(std::int64_t ns) { return Duration(std::chrono::nanoseconds(ns)); }
  static Duration from_seconds(double seconds);
  static Duration from_rmw_time(rmw_time_t time);
  static Duration max() { return from_nanoseconds(INT64_MAX); }

  operator builtin_interfaces::msg::Duration() const;  // NOLINT: implicit, as there
  std::int64_t nanoseconds() const { return ns_; }
  double seconds() const { return std::chrono::duration<double>(std::chrono::nanoseconds(ns_)).count(); }
  rmw_time_t to_rmw_time() const;
  template <class D>
  D to_chrono() const {
    return std::chrono::duration_cast<D>(std::chrono::nanoseconds(ns_));
  }

  friend bool operator==(const Duration& a, const Duration& b) { return a.ns_ == b.ns_; }
  friend auto operator<=>(const Duration& a, const Duration& b) { return a.ns_ <=> b.ns_; }
  // std::overflow_error or std::underflow_error beyond 64 bits.
  Duration operator+(const Duration& other) const;
  Duration operator-(const Duration& other) const;
  Duration& operator+=(const Duration& other) { return *this = *this + other; }
  Duration& operator-=(const Duration& other) { return *this = *this - other; }
  Duration operator*(double scale) const;
  Duration& operator*=(double scale) { return *this = *this * scale; }

 private:
  std::int64_t ns_ = 0;
};

}  // namespace rclcpp
