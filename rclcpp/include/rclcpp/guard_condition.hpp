// Guard conditions: a caller signals that something has happened, and each waiter wakes once.
//
// Waitables and wait sets wait for them. A trigger lasts until a waiter wakes by it; further ones before that add
// nothing.
#pragma once

#include <functional>
#include <utility>

#include "rcl/wait.h"
#include "rclcpp/context.hpp"

namespace rclcpp {

class GuardCondition {
 public:
  RCLCPP_SMART_PTR_DEFINITIONS(GuardCondition)
  explicit GuardCondition(const Context::SharedPtr& context = contexts::get_global_default_context());
  GuardCondition(const GuardCondition&) = delete;
  GuardCondition& operator=(const GuardCondition&) = delete;
  virtual ~GuardCondition() = default;

  Context::SharedPtr get_context() const { return context_; }
  rcl_guard_condition_t& get_rcl_guard_condition() { return handle_; }
  const rcl_guard_condition_t& get_rcl_guard_condition() const { return handle_; }
  // On the thread of the simulation: other threads have no place in its order.
  void trigger();
  bool exchange_in_use_by_wait_set_state(bool in_use) { return std::exchange(in_use_, in_use); }
  // std::runtime_error: into another wait set than the one it is in.
  void add_to_wait_set(rcl_wait_set_t& wait_set);
  // Called at once by each trigger, with how many have come that it was not called for. An empty one: no longer.
  void set_on_trigger_callback(std::function<void(std::size_t)> callback);

 private:
  Context::SharedPtr context_;
  rcl_guard_condition_t handle_;
  std::function<void(std::size_t)> on_trigger_;
  std::size_t untaken_ = 0;
  bool in_use_ = false;
};

namespace detail {
inline void add_guard_condition_to_rcl_wait_set(rcl_wait_set_t& wait_set, const GuardCondition& condition) {
  rcl_wait_set_add_guard_condition(&wait_set, &condition.get_rcl_guard_condition());
}
}  // namespace detail

}  // namespace rclcpp
