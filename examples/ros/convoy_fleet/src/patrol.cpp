// A robot's own software: drives along a square by its odometry, and stops when its service is called to.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>

#include <geometry_msgs/msg/twist.hpp>
#include <nav_msgs/msg/odometry.hpp>
#include <rclcpp/rclcpp.hpp>
#include <rclcpp_components/register_node_macro.hpp>
#include <std_srvs/srv/set_bool.hpp>

namespace convoy_fleet {

class Patrol : public rclcpp::Node {
 public:
  explicit Patrol(const rclcpp::NodeOptions& options) : Node("patrol", options) {
    speed_ = declare_parameter("speed", 0.2);
    side_ = declare_parameter("side", 1.0);
    command_ = create_publisher<geometry_msgs::msg::Twist>("cmd_vel", 10);
    odometry_ = create_subscription<nav_msgs::msg::Odometry>(
        "odom", 10, [this](const nav_msgs::msg::Odometry& odom) { here_ = odom.pose.pose; });
    work_ =
        create_service<std_srvs::srv::SetBool>("work", [this](const std_srvs::srv::SetBool::Request::SharedPtr request,
                                                              std_srvs::srv::SetBool::Response::SharedPtr response) {
          working_ = request->data;
          response->success = true;
          response->message = working_ ? "driving" : "standing";
        });
    timer_ = create_wall_timer(std::chrono::milliseconds(100), [this] { drive(); });
  }

 private:
  void drive() {
    geometry_msgs::msg::Twist command;
    if (working_) {
      get_parameter("speed", speed_);
      static constexpr double kCorners[4][2] = {{1, 0}, {1, 1}, {0, 1}, {0, 0}};
      const double dx = side_ * kCorners[corner_][0] - here_.position.x,
                   dy = side_ * kCorners[corner_][1] - here_.position.y;
      if (dx * dx + dy * dy < 0.01) corner_ = (corner_ + 1) % 4;
      const double yaw = 2 * std::atan2(here_.orientation.z, here_.orientation.w);
      const double error = std::remainder(std::atan2(dy, dx) - yaw, 2 * M_PI);
      command.angular.z = std::clamp(2 * error, -1.5, 1.5);
      command.linear.x = std::abs(error) < 0.5 ? speed_ : 0;
    }
    command_->publish(command);
  }

  double speed_ = 0, side_ = 0;
  bool working_ = true;
  int corner_ = 0;
  geometry_msgs::msg::Pose here_;
  rclcpp::Publisher<geometry_msgs::msg::Twist>::SharedPtr command_;
  rclcpp::Subscription<nav_msgs::msg::Odometry>::SharedPtr odometry_;
  rclcpp::Service<std_srvs::srv::SetBool>::SharedPtr work_;
  rclcpp::TimerBase::SharedPtr timer_;
};

}  // namespace convoy_fleet

RCLCPP_COMPONENTS_REGISTER_NODE(convoy_fleet::Patrol)
