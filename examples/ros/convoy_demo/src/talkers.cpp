// Topics with a message of this package's own.
#include <chrono>
#include <cmath>
#include <memory>
#include <string>

#include "convoy_demo/msg/reading.hpp"
#include "rclcpp/rclcpp.hpp"
#include "rclcpp_components/register_node_macro.hpp"

namespace convoy_demo {

using msg::Reading;

// Measures a sine; ends the run after `count` readings, if that is given.
class Talker : public rclcpp::Node {
 public:
  explicit Talker(const rclcpp::NodeOptions& options) : Node("talker", options) {
    sensor_ = declare_parameter<std::string>("sensor", "sine");
    count_ = declare_parameter<int>("count", 0);
    readings_ = create_publisher<Reading>("readings", rclcpp::QoS(10));
    const auto period = std::chrono::milliseconds(declare_parameter<int>("period_ms", 100));
    timer_ = create_wall_timer(period, [this] { measure(); });
  }

 private:
  void measure() {
    auto reading = std::make_unique<Reading>();
    reading->header.stamp = now();
    reading->header.frame_id = sensor_;
    reading->sensor = sensor_;
    reading->value = std::sin(0.1 * static_cast<double>(sent_++));
    readings_->publish(std::move(reading));
    if (sent_ == count_) {
      RCLCPP_INFO(get_logger(), "%s sent %ld readings", sensor_.c_str(), static_cast<long>(sent_));
      rclcpp::shutdown();
    }
  }

  std::string sensor_;
  std::int64_t count_ = 0, sent_ = 0;
  rclcpp::Publisher<Reading>::SharedPtr readings_;
  rclcpp::TimerBase::SharedPtr timer_;
};

class Listener : public rclcpp::Node {
 public:
  explicit Listener(const rclcpp::NodeOptions& options) : Node("listener", options) {
    subscription_ = create_subscription<Reading>("readings", 10, [this](const Reading& reading) {
      sum_ += reading.value;
      if (++heard_ % 5 == 0)
        RCLCPP_INFO(get_logger(), "heard %d of %s, mean %.6f", heard_, reading.sensor.c_str(), sum_ / heard_);
    });
  }

 private:
  int heard_ = 0;
  double sum_ = 0;
  rclcpp::Subscription<Reading>::SharedPtr subscription_;
};

}  // namespace convoy_demo

RCLCPP_COMPONENTS_REGISTER_NODE(convoy_demo::Talker)
RCLCPP_COMPONENTS_REGISTER_NODE(convoy_demo::Listener)
