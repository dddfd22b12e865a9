// Loops at a rate of simulated time.
#pragma once

#include "rclcpp/clock.hpp"

namespace rclcpp {

class RateBase {
 public:
  RCLCPP_SMART_PTR_DEFINITIONS(RateBase)
  virtual ~RateBase() = default;
  virtual bool sleep() = 0;
  virtual rcl_clock_type_t get_type() const = 0;
  virtual void reset() = 0;
};

class Rate : public RateBase {
 public:
  RCLCPP_SMART_PTR_DEFINITIONS(Rate)
  explicit Rate(double rate, Clock::SharedPtr clock = std::make_shared<Clock>(RCL_SYSTEM_TIME));
  explicit Rate(const Duration& period, Clock::SharedPtr clock = std::make_shared<Clock>(RCL_SYSTEM_TIME));
  // Until the next multiple of the period since the last one; false if that has passed already, or at the end.
  bool sleep() override;
  rcl_clock_type_t get_type() const override { return clock_->get_clock_type(); }
  void reset() override { last_ = clock_->now(); }
  Duration period() const { return period_; }

 private:
  Clock::SharedPtr clock_;
  Duration period_;
  Time last_;
};

class WallRate : public Rate {
 public:
  explicit WallRate(double rate) : Rate(rate, std::make_shared<Clock>(RCL_STEADY_TIME)) {}
  explicit WallRate(const Duration& period) : Rate(period, std::make_shared<Clock>(RCL_STEADY_TIME)) {}
};

class ROSRate : public Rate {
 public:
  explicit ROSRate(double rate) : Rate(rate, std::make_shared<Clock>(RCL_ROS_TIME)) {}
  explicit ROSRate(const Duration& period) : Rate(period, std::make_shared<Clock>(RCL_ROS_TIME)) {}
};

template <class C = std::chrono::high_resolution_clock>
using GenericRate = Rate;

}  // namespace rclcpp
