// Which parts of a subscription a wait set waits for: its messages or not. Events, and messages within the process, have
// no parts of their own here.
#pragma once

namespace rclcpp {

class SubscriptionWaitSetMask {
 public:
  bool include_subscription = true;
  bool include_events = true;
  bool include_intra_process_waitable = true;
};

}  // namespace rclcpp
