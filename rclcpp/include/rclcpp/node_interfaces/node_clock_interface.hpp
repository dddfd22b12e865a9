// A node's clock.
#pragma once

#include "rclcpp/clock.hpp"

namespace rclcpp::node_interfaces {

class NodeClockInterface {
 public:
  RCLCPP_SMART_PTR_ALIASES_ONLY(NodeClockInterface)
  explicit NodeClockInterface(rcl_clock_type_t type) : clock_(std::make_shared<Clock>(type)) {}
  Clock::SharedPtr get_clock() { return clock_; }
  Clock::ConstSharedPtr get_clock() const { return clock_; }

 private:
  Clock::SharedPtr clock_;
};

}  // namespace rclcpp::node_interfaces
