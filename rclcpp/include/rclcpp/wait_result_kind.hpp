// How a wait has ended.
#pragma once

namespace rclcpp {

enum class WaitResultKind {
  Ready,    // something is ready
  Timeout,  // the time is over, or the simulation
  Empty,    // there is nothing to wait for
  Invalid   // the wait set has been changed since
};

}  // namespace rclcpp
