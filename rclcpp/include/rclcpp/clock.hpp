// rclcpp::Clock: simulated time, whatever kind of clock it is asked to be.
#pragma once

#include "rclcpp/context.hpp"
#include "rclcpp/time.hpp"

namespace rclcpp {

class Clock {
 public:
  RCLCPP_SMART_PTR_DEFINITIONS(Clock)
  // Belongs to the simulation that is current now.
  explicit Clock(rcl_clock_type_t type = RCL_SYSTEM_TIME);

  Time now() const;
  // Suspends the caller. False: shut down meanwhile.
  bool sleep_until(Time until, Context::SharedPtr context = nullptr);
  bool sleep_for(Duration duration, Context::SharedPtr context = nullptr);
  bool started() const { return now().nanoseconds() != 0; }
  bool wait_until_started(Context::SharedPtr = nullptr) { return true; }
  bool ros_time_is_active() const { return type_ == RCL_ROS_TIME; }
  rcl_clock_type_t get_clock_type() const noexcept { return type_; }
  convoy::ros::Simulation* simulation() const { return simulation_; }

 private:
  rcl_clock_type_t type_;
  convoy::ros::Simulation* simulation_;
};

}  // namespace rclcpp
