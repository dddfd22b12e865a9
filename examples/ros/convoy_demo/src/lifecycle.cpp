// A node with a life cycle, which takes itself through it.
#include <chrono>
#include <memory>

#include "rclcpp/rclcpp.hpp"
#include "rclcpp_components/register_node_macro.hpp"
#include "rclcpp_lifecycle/lifecycle_node.hpp"
#include "rclcpp_lifecycle/lifecycle_publisher.hpp"
#include "std_msgs/msg/u_int64.hpp"

namespace convoy_demo {

using std::chrono_literals::operator""ms;
using CallbackReturn = rclcpp_lifecycle::node_interfaces::LifecycleNodeInterface::CallbackReturn;

class Heartbeat : public rclcpp_lifecycle::LifecycleNode {
 public:
  explicit Heartbeat(const rclcpp::NodeOptions& options) : LifecycleNode("heartbeat", options) {
    timer_ = create_wall_timer(100ms, [this] { tick(); });
  }

  CallbackReturn on_configure(const rclcpp_lifecycle::State&) override {
    beats_ = create_publisher<std_msgs::msg::UInt64>("beats", 10);
    return CallbackReturn::SUCCESS;
  }
  CallbackReturn on_activate(const rclcpp_lifecycle::State& state) override {
    RCLCPP_INFO(get_logger(), "activated");
    return LifecycleNode::on_activate(state);
  }
  CallbackReturn on_deactivate(const rclcpp_lifecycle::State& state) override {
    RCLCPP_INFO(get_logger(), "deactivated after %d beats", static_cast<int>(sent_));
    return LifecycleNode::on_deactivate(state);
  }

 private:
  void tick() {
    ++ticks_;
    if (ticks_ == 1) configure();
    if (ticks_ == 2) activate();
    if (ticks_ == 10) deactivate();
    if (!beats_ || !beats_->is_activated()) return;
    std_msgs::msg::UInt64 beat;
    beat.data = ++sent_;
    beats_->publish(beat);
  }

  int ticks_ = 0;
  std::uint64_t sent_ = 0;
  rclcpp_lifecycle::LifecyclePublisher<std_msgs::msg::UInt64>::SharedPtr beats_;
  rclcpp::TimerBase::SharedPtr timer_;
};

}  // namespace convoy_demo

RCLCPP_COMPONENTS_REGISTER_NODE(convoy_demo::Heartbeat)
