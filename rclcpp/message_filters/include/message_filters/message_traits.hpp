// The header of a message, if it has one.
#pragma once

#include <std_msgs/msg/header.hpp>

#include "rclcpp/time.hpp"

namespace message_filters::message_traits {

template <class M, class = void>
struct HasHeader : std::false_type {};
template <class M>
struct HasHeader<M, std::void_t<decltype(std::declval<M>().header)>> : std::true_type {};

template <class M, class = void>
struct FrameId;
template <class M>
struct FrameId<M, std::enable_if_t<HasHeader<M>::value>> {
  static const std::string& value(const M& m) { return m.header.frame_id; }
};
template <class M, class = void>
struct TimeStamp;
template <class M>
struct TimeStamp<M, std::enable_if_t<HasHeader<M>::value>> {
  static rclcpp::Time value(const M& m) { return rclcpp::Time(m.header.stamp, RCL_ROS_TIME); }
};

}  // namespace message_filters::message_traits
