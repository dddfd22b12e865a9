// Timers. Every kind runs on simulated time.
#pragma once

#include <functional>
#include <optional>

#include "nodes/timer.h"
#include "rcl/wait.h"
#include "rclcpp/callback_group.hpp"
#include "rclcpp/clock.hpp"
#include "rclcpp/context.hpp"

namespace rclcpp {

namespace node_interfaces {
class NodeBaseInterface;
}

using VoidCallbackType = std::function<void()>;

struct TimerInfo {
  Time expected_call_time;
  Time actual_call_time;
};

class TimerBase : public std::enable_shared_from_this<TimerBase> {
 public:
  RCLCPP_SMART_PTR_DEFINITIONS(TimerBase)
  TimerBase() = default;
  virtual ~TimerBase() = default;

  // std::runtime_error, as of all that is asked of one that add_timer() has not given to a node yet.
  void cancel() { kernel().cancel(); }
  bool is_canceled() const { return kernel().is_canceled(); }
  void reset() { kernel().reset(); }
  bool is_ready() const;
  // Below 0: overdue. Duration max: cancelled.
  std::chrono::nanoseconds time_until_trigger() const;
  bool is_steady() const { return false; }
  void exchange_period(std::chrono::nanoseconds period, std::chrono::nanoseconds* old = nullptr) {
    if (old) *old = kernel().period();
    kernel().set_period(period);
  }
  convoy::nodes::Timer& kernel() const {
    if (!timer_) throw std::runtime_error("the timer is of no node: NodeTimersInterface::add_timer() adds it");
    return *timer_;
  }
  // Makes one that was constructed by hand a timer of that node. std::invalid_argument: it is one already.
  void join(const node_interfaces::NodeBaseInterface& node, const CallbackGroup::SharedPtr& group);
  // The maker's, once: a callback may ask for its own timer, so there is one before the kernel's.
  void set_kernel(convoy::nodes::Owned<convoy::nodes::Timer> timer) {
    timer_ = std::move(timer), handle_.timer = timer_.get();
  }
  TimerInfo info() const;

  // For users that poll instead of waiting for the callback (wait_set.hpp): the call counts as made, and is made by
  // execute_callback() with what this gives. Null: the timer is cancelled.
  std::shared_ptr<void> call();
  void execute_callback(const std::shared_ptr<void>& = nullptr) { kernel().handle(); }
  std::shared_ptr<const rcl_timer_t> get_timer_handle() { return {shared_from_this(), &handle_}; }
  bool exchange_in_use_by_wait_set_state(bool in_use) { return std::exchange(in_use_, in_use); }

 protected:
  struct Plan {
    std::chrono::nanoseconds period;
    bool autostart;
    std::function<void()> call;
  };
  void set_plan(Plan plan) { plan_ = std::move(plan); }

 private:
  std::optional<Plan> plan_;  // until it is of a node
  convoy::nodes::Owned<convoy::nodes::Timer> timer_;
  rcl_timer_t handle_;
  bool in_use_ = false;
};

using TimerCallbackType = std::function<void(TimerBase&)>;

namespace detail {
template <class Callback>
void call_timer(Callback& callback, TimerBase& timer) {
  if constexpr (std::is_invocable_v<Callback&>) callback();
  else if constexpr (std::is_invocable_v<Callback&, TimerBase&>) callback(timer);
  else callback(timer.info());
}
}  // namespace detail

template <class Callback>
class GenericTimer : public TimerBase {
 public:
  RCLCPP_SMART_PTR_DEFINITIONS(GenericTimer)
  GenericTimer() = default;
  // Runs once it is a node's, by NodeTimersInterface::add_timer().
  GenericTimer(Clock::SharedPtr, std::chrono::nanoseconds period, Callback&& callback, Context::SharedPtr,
               bool autostart = true) {
    plan(period, std::move(callback), autostart);
  }

 protected:
  void plan(std::chrono::nanoseconds period, Callback&& callback, bool autostart) {
    set_plan({period, autostart, [this, call = std::move(callback)]() mutable { detail::call_timer(call, *this); }});
  }
};
template <class Callback>
class WallTimer : public GenericTimer<Callback> {
 public:
  RCLCPP_SMART_PTR_DEFINITIONS(WallTimer)
  WallTimer() = default;
  WallTimer(std::chrono::nanoseconds period, Callback&& callback, Context::SharedPtr, bool autostart = true) {
    this->plan(period, std::move(callback), autostart);
  }
};

}  // namespace rclcpp
