// A robot that drives on until an element of an outside program comes near, and says what it sees.
#include <chrono>
#include <string>

#include <convoy_msgs/msg/elements.hpp>
#include <geometry_msgs/msg/twist.hpp>
#include <rclcpp/rclcpp.hpp>
#include <rclcpp_components/register_node_macro.hpp>

namespace lookout {

class Lookout : public rclcpp::Node {
 public:
  explicit Lookout(const rclcpp::NodeOptions& options) : Node("lookout", options) {
    command_ = create_publisher<geometry_msgs::msg::Twist>("cmd_vel", 10);
    elements_ = create_subscription<convoy_msgs::msg::Elements>(
        "elements", 10, [this](const convoy_msgs::msg::Elements& seen) { note(seen); });
    timer_ = create_wall_timer(std::chrono::milliseconds(100), [this] {
      geometry_msgs::msg::Twist command;
      command.linear.x = sees_ ? 0.0 : 0.2;
      command_->publish(command);
    });
  }

 private:
  void note(const convoy_msgs::msg::Elements& seen) {
    const bool before = std::exchange(sees_, !seen.elements.empty());
    if (before == sees_) return;
    std::string all;
    for (const auto& one : seen.elements)
      all += " " + one.type + " " + std::to_string(one.id) + " of " + one.owner + (one.placed ? "" : " (no place)");
    RCLCPP_INFO(get_logger(), "%s", sees_ ? ("sees" + all).c_str() : "sees nothing more");
  }

  bool sees_ = false;
  rclcpp::Publisher<geometry_msgs::msg::Twist>::SharedPtr command_;
  rclcpp::Subscription<convoy_msgs::msg::Elements>::SharedPtr elements_;
  rclcpp::TimerBase::SharedPtr timer_;
};

}  // namespace lookout

RCLCPP_COMPONENTS_REGISTER_NODE(lookout::Lookout)
