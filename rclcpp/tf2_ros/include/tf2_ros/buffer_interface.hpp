// Lookups and transforms that may wait, and the conversions between the kinds of time.
#pragma once

#include "rclcpp/clock.hpp"
#include "tf2/convert.hpp"

namespace tf2_ros {

inline tf2::TimePoint fromMsg(const builtin_interfaces::msg::Time& t) {
  return tf2::TimePoint(std::chrono::nanoseconds(t.sec * std::int64_t{1'000'000'000} + t.nanosec));
}
inline builtin_interfaces::msg::Time toMsg(const tf2::TimePoint& t) {
  return rclcpp::convert_rcl_time_to_sec_nanos(t.time_since_epoch().count());
}
inline tf2::Duration fromMsg(const builtin_interfaces::msg::Duration& d) {
  return std::chrono::nanoseconds(rclcpp::Duration(d).nanoseconds());
}
inline builtin_interfaces::msg::Duration toMsg(const tf2::Duration& d) { return rclcpp::Duration(d); }
inline tf2::TimePoint fromRclcpp(const rclcpp::Time& t) {
  return tf2::TimePoint(std::chrono::nanoseconds(t.nanoseconds()));
}
inline rclcpp::Time toRclcpp(const tf2::TimePoint& t) {
  return rclcpp::Time(t.time_since_epoch().count(), RCL_ROS_TIME);
}
inline tf2::Duration fromRclcpp(const rclcpp::Duration& d) { return std::chrono::nanoseconds(d.nanoseconds()); }
inline rclcpp::Duration toRclcpp(const tf2::Duration& d) { return rclcpp::Duration(d); }
inline double timeToSec(const builtin_interfaces::msg::Time& t) { return tf2::timeToSec(fromMsg(t)); }

class BufferInterface {
 public:
  using TransformStamped = geometry_msgs::msg::TransformStamped;
  virtual ~BufferInterface() = default;
  virtual TransformStamped lookupTransform(const std::string& target_frame, const std::string& source_frame,
                                           const tf2::TimePoint& time, const tf2::Duration timeout) const = 0;
  virtual TransformStamped lookupTransform(const std::string& target_frame, const tf2::TimePoint& target_time,
                                           const std::string& source_frame, const tf2::TimePoint& source_time,
                                           const std::string& fixed_frame, const tf2::Duration timeout) const = 0;
  virtual bool canTransform(const std::string& target_frame, const std::string& source_frame,
                            const tf2::TimePoint& time, const tf2::Duration timeout, std::string* errstr) const = 0;
  virtual bool canTransform(const std::string& target_frame, const tf2::TimePoint& target_time,
                            const std::string& source_frame, const tf2::TimePoint& source_time,
                            const std::string& fixed_frame, const tf2::Duration timeout, std::string* errstr) const = 0;

  // Of the data's own frame and time.
  template <class T>
  T& transform(const T& in, T& out, const std::string& target_frame, tf2::Duration timeout = tf2::Duration(0)) const {
    tf2::doTransform(in, out, lookupTransform(target_frame, tf2::getFrameId(in), tf2::getTimestamp(in), timeout));
    return out;
  }
  template <class T>
  T transform(const T& in, const std::string& target_frame, tf2::Duration timeout = tf2::Duration(0)) const {
    T out;
    return transform(in, out, target_frame, timeout);
  }
  template <class A, class B>
  B& transform(const A& in, B& out, const std::string& target_frame, tf2::Duration timeout = tf2::Duration(0)) const {
    const A copy = transform(in, target_frame, timeout);
    tf2::convert(copy, out);
    return out;
  }
  template <class T>
  T& transform(const T& in, T& out, const std::string& target_frame, const tf2::TimePoint& target_time,
               const std::string& fixed_frame, tf2::Duration timeout = tf2::Duration(0)) const {
    tf2::doTransform(
        in, out,
        lookupTransform(target_frame, target_time, tf2::getFrameId(in), tf2::getTimestamp(in), fixed_frame, timeout));
    return out;
  }
  template <class T>
  T transform(const T& in, const std::string& target_frame, const tf2::TimePoint& target_time,
              const std::string& fixed_frame, tf2::Duration timeout = tf2::Duration(0)) const {
    T out;
    return transform(in, out, target_frame, target_time, fixed_frame, timeout);
  }
};

}  // namespace tf2_ros
