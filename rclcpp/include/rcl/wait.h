// rcl's wait sets as far as waitables and users of rclcpp::WaitSet see them: arrays of what is waited for, with a null
// for each that is not ready.
//
// They are filled by rcl_wait_set_add_...(), or by the add_to_wait_set() of what is waited for. There is no rcl_wait():
// rclcpp::WaitSet waits, in simulated time.
#pragma once

#include <cstddef>
#include <vector>

#include "nodes/receiver.h"
#include "nodes/timer.h"

using rcl_ret_t = int;
#ifndef RCL_RET_OK
#define RCL_RET_OK 0
#define RCL_RET_ERROR 1
#define RCL_RET_TIMEOUT 2
#define RCL_RET_INVALID_ARGUMENT 11
#define RCL_RET_WAIT_SET_INVALID 900
#define RCL_RET_WAIT_SET_EMPTY 901
#define RCL_RET_WAIT_SET_FULL 902
#endif

// Each belongs to its rclcpp object.
struct rcl_subscription_t {
  const convoy::nodes::Receiver* receiver = nullptr;
};
struct rcl_client_t {
  const convoy::nodes::Receiver* receiver = nullptr;
};
struct rcl_service_t {
  const convoy::nodes::Receiver* receiver = nullptr;
};
struct rcl_timer_t {
  const convoy::nodes::Timer* timer = nullptr;
};
struct rcl_guard_condition_t {
  mutable bool triggered = false;  // and no one has woken by it yet
};
struct rcl_event_t {};  // events of publishers and subscriptions are events of the graph: none is ever ready here

struct rcl_wait_set_impl_t {
  std::vector<const rcl_subscription_t*> subscriptions;
  std::vector<const rcl_guard_condition_t*> guard_conditions;
  std::vector<const rcl_timer_t*> timers;
  std::vector<const rcl_client_t*> clients;
  std::vector<const rcl_service_t*> services;
  std::vector<const rcl_event_t*> events;
};
struct rcl_wait_set_t {
  const rcl_subscription_t** subscriptions = nullptr;
  std::size_t size_of_subscriptions = 0;
  const rcl_guard_condition_t** guard_conditions = nullptr;
  std::size_t size_of_guard_conditions = 0;
  const rcl_timer_t** timers = nullptr;
  std::size_t size_of_timers = 0;
  const rcl_client_t** clients = nullptr;
  std::size_t size_of_clients = 0;
  const rcl_service_t** services = nullptr;
  std::size_t size_of_services = 0;
  const rcl_event_t** events = nullptr;
  std::size_t size_of_events = 0;
  rcl_wait_set_impl_t* impl = nullptr;
};

// The index of what was added, if it is asked for. RCL_RET_INVALID_ARGUMENT: a null.
rcl_ret_t rcl_wait_set_add_subscription(rcl_wait_set_t* set, const rcl_subscription_t* one,
                                        std::size_t* index = nullptr);
rcl_ret_t rcl_wait_set_add_guard_condition(rcl_wait_set_t* set, const rcl_guard_condition_t* one,
                                           std::size_t* index = nullptr);
rcl_ret_t rcl_wait_set_add_timer(rcl_wait_set_t* set, const rcl_timer_t* one, std::size_t* index = nullptr);
rcl_ret_t rcl_wait_set_add_client(rcl_wait_set_t* set, const rcl_client_t* one, std::size_t* index = nullptr);
rcl_ret_t rcl_wait_set_add_service(rcl_wait_set_t* set, const rcl_service_t* one, std::size_t* index = nullptr);
rcl_ret_t rcl_wait_set_add_event(rcl_wait_set_t* set, const rcl_event_t* one, std::size_t* index = nullptr);

namespace convoy::ros {

// A wait set that owns its arrays.
class WaitArrays {
 public:
  WaitArrays() { set_.impl = &arrays_; }
  WaitArrays(const WaitArrays&) = delete;
  WaitArrays& operator=(const WaitArrays&) = delete;
  rcl_wait_set_t& set() { return set_; }
  const rcl_wait_set_t& set() const { return set_; }
  void clear();
  bool empty() const;
  // A null for all that are not ready; true: something is. Of guard conditions those are ready for which `woken` is
  // true.
  template <class Woken>
  bool keep_ready(Woken woken) {
    bool any = false;
    for (auto& one : arrays_.guard_conditions) keep(one, one && woken(*one), any);
    return keep_others(any);
  }
  const std::vector<const rcl_guard_condition_t*>& guard_conditions() const { return arrays_.guard_conditions; }

 private:
  template <class T>
  static void keep(const T*& one, bool ready, bool& any) {
    any = any || ready;
    if (!ready) one = nullptr;
  }
  bool keep_others(bool any);

  rcl_wait_set_t set_;
  rcl_wait_set_impl_t arrays_;
};

}  // namespace convoy::ros
