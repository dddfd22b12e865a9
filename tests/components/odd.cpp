// Components that do what a robot's software should not, for tests.
#include <cfenv>
#include <chrono>
#include <cstdlib>
#include <thread>

#include <rclcpp/rclcpp.hpp>
#include <rclcpp_components/register_node_macro.hpp>
#include <std_msgs/msg/u_int64.hpp>

namespace odd {

// Publishes how often its timer has fired; once, at the fifth time, that takes ODD_SLEEP seconds of real time.
class Slow : public rclcpp::Node {
 public:
  explicit Slow(const rclcpp::NodeOptions& options) : Node("slow", options) {
    out_ = create_publisher<std_msgs::msg::UInt64>("count", 10);
    timer_ = create_wall_timer(std::chrono::milliseconds(50), [this] {
      if (++count_ == 5)
        if (const char* seconds = std::getenv("ODD_SLEEP"))
          std::this_thread::sleep_for(std::chrono::duration<double>(std::atof(seconds)));
      std_msgs::msg::UInt64 message;
      message.data = count_;
      out_->publish(message);
    });
  }

 private:
  std::uint64_t count_ = 0;
  rclcpp::Publisher<std_msgs::msg::UInt64>::SharedPtr out_;
  rclcpp::TimerBase::SharedPtr timer_;
};

// Its constructor and its timer leave the thread rounding upwards.
class Rounding : public rclcpp::Node {
 public:
  explicit Rounding(const rclcpp::NodeOptions& options) : Node("rounding", options) {
    std::fesetround(FE_UPWARD);
    timer_ = create_wall_timer(std::chrono::milliseconds(50), [] { std::fesetround(FE_UPWARD); });
  }

 private:
  rclcpp::TimerBase::SharedPtr timer_;
};

}  // namespace odd

RCLCPP_COMPONENTS_REGISTER_NODE(odd::Slow)
RCLCPP_COMPONENTS_REGISTER_NODE(odd::Rounding)
