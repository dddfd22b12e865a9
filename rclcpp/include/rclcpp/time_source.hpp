// What drives a node's clocks in ROS 2. Here all clocks show simulated time by themselves, so it has nothing to do.
#pragma once

#include "rclcpp/node.hpp"

namespace rclcpp {

class TimeSource {
 public:
  RCLCPP_SMART_PTR_DEFINITIONS(TimeSource)
  explicit TimeSource(Node::SharedPtr, const QoS& = ClockQoS(), bool = true) {}
  explicit TimeSource(const QoS& = ClockQoS(), bool = true) {}
  template <class... Interfaces>
  void attachNode(Interfaces&&...) {}
  void detachNode() {}
  void attachClock(Clock::SharedPtr) {}
  void detachClock(Clock::SharedPtr) {}
};

}  // namespace rclcpp
