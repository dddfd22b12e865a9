// Callback groups: what may run while another callback of the group is blocked in the middle.
//
// A group that is not added to executors with its node runs nothing by itself: its events wait until an executor that
// was given the group spins, or until a caller takes them (wait_set.hpp).
#pragma once

#include <atomic>
#include <memory>

#include "nodes/node.h"
#include "rclcpp/macros.hpp"

namespace rclcpp {

enum class CallbackGroupType { MutuallyExclusive, Reentrant };

class CallbackGroup {
 public:
  RCLCPP_SMART_PTR_DEFINITIONS(CallbackGroup)
  CallbackGroup(convoy::nodes::Owned<convoy::nodes::CallbackGroup> group, CallbackGroupType type, bool automatic = true)
      : group_(std::move(group)), kernel_(group_.get()), type_(type), automatic_(automatic) {}
  // A node's own.
  explicit CallbackGroup(convoy::nodes::CallbackGroup& group)
      : kernel_(&group), type_(CallbackGroupType::MutuallyExclusive) {}

  CallbackGroupType type() const { return type_; }
  bool automatically_add_to_executor_with_node() const { return automatic_; }
  std::atomic_bool& get_associated_with_executor_atomic() { return associated_; }  // given to an executor by itself
  convoy::nodes::CallbackGroup& kernel() const { return *kernel_; }

  // --- for the library
  // From now on its callbacks wait unless an executor spins it; so many do.
  void hold(int executors) {
    holds_ = true, executors_ = executors;
    kernel_->set_held(executors_ == 0);
  }
  // One executor more spins it, or one less.
  void spin(bool begin) {
    if (!holds_) return;
    executors_ += begin ? 1 : -1;
    kernel_->set_held(executors_ == 0);
  }

 private:
  convoy::nodes::Owned<convoy::nodes::CallbackGroup> group_;
  convoy::nodes::CallbackGroup* kernel_;
  CallbackGroupType type_;
  bool automatic_ = true;
  bool holds_ = false;
  int executors_ = 0;  // that spin it now
  std::atomic_bool associated_{false};
};

}  // namespace rclcpp
