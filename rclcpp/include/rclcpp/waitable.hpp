// What users derive to be run by executors when something of theirs is ready (NodeWaitablesInterface::add_waitable).
//
// It is asked after each callback, and when time has made a message or a timer ready that nothing else takes: as soon
// as something that it waits for is ready, it waits in the queue of events, and when its turn comes is_ready(),
// take_data() and execute() run as one callback of its group.
#pragma once

#include <functional>
#include <stdexcept>
#include <utility>

#include "rcl/wait.h"
#include "rclcpp/macros.hpp"

namespace rclcpp {

class Waitable {
 public:
  RCLCPP_SMART_PTR_ALIASES_ONLY(Waitable)
  Waitable() = default;
  Waitable(const Waitable&) = delete;
  Waitable& operator=(const Waitable&) = delete;
  virtual ~Waitable() = default;

  // Not asked for: wait sets grow.
  virtual std::size_t get_number_of_ready_subscriptions() { return 0; }
  virtual std::size_t get_number_of_ready_timers() { return 0; }
  virtual std::size_t get_number_of_ready_clients() { return 0; }
  virtual std::size_t get_number_of_ready_events() { return 0; }
  virtual std::size_t get_number_of_ready_services() { return 0; }
  virtual std::size_t get_number_of_ready_guard_conditions() { return 0; }

  // One of the two forms of each is there; those with pointers are Jazzy's old ones. They change nothing else: they are
  // called often.
  virtual void add_to_wait_set(rcl_wait_set_t& wait_set) { add_to_wait_set(&wait_set); }
  virtual void add_to_wait_set(rcl_wait_set_t*) { throw std::runtime_error("a waitable has no add_to_wait_set()"); }
  virtual bool is_ready(const rcl_wait_set_t& wait_set) { return is_ready(const_cast<rcl_wait_set_t*>(&wait_set)); }
  virtual bool is_ready(rcl_wait_set_t*) { throw std::runtime_error("a waitable has no is_ready()"); }
  virtual std::shared_ptr<void> take_data() = 0;
  virtual std::shared_ptr<void> take_data_by_entity_id(std::size_t) {
    throw std::runtime_error("a waitable has no take_data_by_entity_id()");
  }
  virtual void execute(const std::shared_ptr<void>& data) {
    std::shared_ptr<void> mine = data;
    execute(mine);
  }
  virtual void execute(std::shared_ptr<void>&) { throw std::runtime_error("a waitable has no execute()"); }

  bool exchange_in_use_by_wait_set_state(bool in_use) { return std::exchange(in_use_, in_use); }
  // Those of an EventsExecutor, which are not called here.
  virtual void set_on_ready_callback(std::function<void(std::size_t, int)>) {
    throw std::runtime_error("a waitable has no set_on_ready_callback()");
  }
  virtual void clear_on_ready_callback() { throw std::runtime_error("a waitable has no clear_on_ready_callback()"); }

 private:
  bool in_use_ = false;
};

}  // namespace rclcpp
