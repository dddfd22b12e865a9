// Timers of a node, for a buffer.
#pragma once

#include <map>

#include "rclcpp/node.hpp"
#include "tf2_ros/create_timer_interface.hpp"

namespace tf2_ros {

class CreateTimerROS : public CreateTimerInterface {
 public:
  RCLCPP_SMART_PTR_ALIASES_ONLY(CreateTimerROS)
  // The node's other interfaces are not needed here.
  template <class... Others>
  explicit CreateTimerROS(rclcpp::node_interfaces::NodeBaseInterface::SharedPtr node, Others&&...)
      : node_(std::move(node)) {}
  TimerHandle createTimer(rclcpp::Clock::SharedPtr clock, const tf2::Duration& period,
                          TimerCallbackType callback) override;
  void cancel(const TimerHandle& handle) override { at(handle).cancel(); }
  void reset(const TimerHandle& handle) override { at(handle).reset(); }
  void remove(const TimerHandle& handle) override;

 private:
  convoy::nodes::Timer& at(const TimerHandle& handle);

  rclcpp::node_interfaces::NodeBaseInterface::SharedPtr node_;
  std::map<TimerHandle, convoy::nodes::Owned<convoy::nodes::Timer>> timers_;
  TimerHandle next_ = 1;
};

}  // namespace tf2_ros
