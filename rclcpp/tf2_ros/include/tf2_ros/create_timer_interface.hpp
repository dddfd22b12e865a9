// Where a buffer gets the timers from that end what waits for a transform.
#pragma once

#include <functional>
#include <memory>
#include <stdexcept>

#include "rclcpp/clock.hpp"
#include "tf2/time.hpp"

namespace tf2_ros {

using TimerHandle = std::uint64_t;
using TimerCallbackType = std::function<void(const TimerHandle&)>;

class CreateTimerInterfaceException : public std::runtime_error {
  using std::runtime_error::runtime_error;
};
class InvalidTimerHandleException : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

class CreateTimerInterface {
 public:
  RCLCPP_SMART_PTR_ALIASES_ONLY(CreateTimerInterface)
  virtual ~CreateTimerInterface() = default;
  virtual TimerHandle createTimer(rclcpp::Clock::SharedPtr clock, const tf2::Duration& period,
                                  TimerCallbackType callback) = 0;
  virtual void cancel(const TimerHandle& handle) = 0;
  virtual void reset(const TimerHandle& handle) = 0;
  virtual void remove(const TimerHandle& handle) = 0;
};

}  // namespace tf2_ros
