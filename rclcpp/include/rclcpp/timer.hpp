// Timers. Every kind runs on simulated time.
#pragma once

#include <functional>

#include "nodes/timer.h"
#include "rcl/wait.h"
#include "rclcpp/clock.hpp"

namespace rclcpp {

struct TimerInfo {
  Time expected_call_time;
  Time actual_call_time;
};

class TimerBase : public std::enable_shared_from_this<TimerBase> {
 public:
  RCLCPP_SMART_PTR_DEFINITIONS(TimerBase)
  TimerBase() = default;
  virtual ~TimerBase() = default;

  void cancel() { timer_->cancel(); }
  bool is_canceled() const { return timer_->is_canceled(); }
  void reset() { timer_->reset(); }
  bool is_ready() const;
  // Below 0: overdue. Duration max: cancelled.
  std::chrono::nanoseconds time_until_trigger() const;
  bool is_steady() const { return false; }
  void exchange_period(std::chrono::nanoseconds period, std::chrono::nanoseconds* old = nullptr) {
    if (old) *old = timer_->period();
    timer_->set_period(period);
  }
  convoy::nodes::Timer& kernel() const { return *timer_; }
  // The maker's, once: a callback may ask for its own timer, so there is one before the kernel's.
  void set_kernel(convoy::nodes::Owned<convoy::nodes::Timer> timer) {
    timer_ = std::move(timer), handle_.timer = timer_.get();
  }
  TimerInfo info() const;

  // For users that poll instead of waiting for the callback (wait_set.hpp): the call counts as made, and is made by
  // execute_callback() with what this gives. Null: the timer is cancelled.
  std::shared_ptr<void> call();
  void execute_callback(const std::shared_ptr<void>& = nullptr) { timer_->handle(); }
  std::shared_ptr<const rcl_timer_t> get_timer_handle() { return {shared_from_this(), &handle_}; }
  bool exchange_in_use_by_wait_set_state(bool in_use) { return std::exchange(in_use_, in_use); }

 private:
  convoy::nodes::Owned<convoy::nodes::Timer> timer_;
  rcl_timer_t handle_;
  bool in_use_ = false;
};

template <class Callback>
class GenericTimer : public TimerBase {
 public:
  RCLCPP_SMART_PTR_DEFINITIONS(GenericTimer)
};
template <class Callback>
class WallTimer : public GenericTimer<Callback> {
 public:
  RCLCPP_SMART_PTR_DEFINITIONS(WallTimer)
};

namespace detail {
template <class Callback>
void call_timer(Callback& callback, TimerBase& timer) {
  if constexpr (std::is_invocable_v<Callback&>) callback();
  else if constexpr (std::is_invocable_v<Callback&, TimerBase&>) callback(timer);
  else callback(timer.info());
}
}  // namespace detail

}  // namespace rclcpp
