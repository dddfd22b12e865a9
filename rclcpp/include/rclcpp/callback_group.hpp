// Callback groups: what may run while another callback of the group is blocked in the middle.
#pragma once

#include <memory>

#include "nodes/node.h"
#include "rclcpp/macros.hpp"

namespace rclcpp {

enum class CallbackGroupType { MutuallyExclusive, Reentrant };

class CallbackGroup {
 public:
  RCLCPP_SMART_PTR_DEFINITIONS(CallbackGroup)
  CallbackGroup(convoy::nodes::Owned<convoy::nodes::CallbackGroup> group, CallbackGroupType type)
      : group_(std::move(group)), kernel_(group_.get()), type_(type) {}
  // A node's own.
  explicit CallbackGroup(convoy::nodes::CallbackGroup& group)
      : kernel_(&group), type_(CallbackGroupType::MutuallyExclusive) {}

  CallbackGroupType type() const { return type_; }
  convoy::nodes::CallbackGroup& kernel() const { return *kernel_; }

 private:
  convoy::nodes::Owned<convoy::nodes::CallbackGroup> group_;
  convoy::nodes::CallbackGroup* kernel_;
  CallbackGroupType type_;
};

}  // namespace rclcpp
