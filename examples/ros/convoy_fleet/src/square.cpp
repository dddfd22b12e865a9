// A program with a main() of its own: asks a colleague to rest, then drives a square by odometry and reports each corner.
#include <chrono>
#include <cmath>
#include <memory>

#include <geometry_msgs/msg/twist.hpp>
#include <nav_msgs/msg/odometry.hpp>
#include <rclcpp/rclcpp.hpp>
#include <std_srvs/srv/set_bool.hpp>

namespace {

using namespace std::chrono_literals;

double yaw_of(const geometry_msgs::msg::Quaternion& q) {
  return std::atan2(2 * (q.w * q.z + q.x * q.y), 1 - 2 * (q.y * q.y + q.z * q.z));
}

}  // namespace

int main(int argc, char** argv) {
  rclcpp::init(argc, argv);
  const auto node = std::make_shared<rclcpp::Node>("square");
  const double side = node->declare_parameter("side", 1.0), speed = node->declare_parameter("speed", 0.2);
  const std::string colleague = node->declare_parameter("colleague", "");

  nav_msgs::msg::Odometry odom;
  const auto hear = node->create_subscription<nav_msgs::msg::Odometry>(
      "odom", 10, [&odom](const nav_msgs::msg::Odometry& message) { odom = message; });
  const auto drive = node->create_publisher<geometry_msgs::msg::Twist>("cmd_vel", 10);

  if (!colleague.empty()) {
    const auto work = node->create_client<std_srvs::srv::SetBool>("/" + colleague + "/work");
    while (rclcpp::ok() && !work->wait_for_service(1s))
      RCLCPP_INFO(node->get_logger(), "waiting for %s", colleague.c_str());
    auto answer = work->async_send_request(std::make_shared<std_srvs::srv::SetBool::Request>());
    if (rclcpp::spin_until_future_complete(node, answer, 2s) == rclcpp::FutureReturnCode::SUCCESS)
      RCLCPP_INFO(node->get_logger(), "%s is %s", colleague.c_str(), answer.get()->message.c_str());
  }

  rclcpp::Rate rate(20.0);
  double from_x = 0, from_y = 0, from_yaw = 0;
  bool turning = false;
  int corners = 0;
  while (rclcpp::ok() && corners < 4) {
    rclcpp::spin_some(node);
    const auto& at = odom.pose.pose;
    const double yaw = yaw_of(at.orientation);
    geometry_msgs::msg::Twist twist;
    if (!turning && std::hypot(at.position.x - from_x, at.position.y - from_y) >= side) {
      turning = true, from_yaw = yaw;
    } else if (turning && std::remainder(yaw - from_yaw, 2 * M_PI) >= M_PI / 2) {
      turning = false, from_x = at.position.x, from_y = at.position.y;
      RCLCPP_INFO(node->get_logger(), "corner %d at %.6f %.6f", ++corners, from_x, from_y);
    }
    (turning ? twist.angular.z : twist.linear.x) = turning ? 0.5 : speed;
    drive->publish(twist);
    rate.sleep();
  }
  drive->publish(geometry_msgs::msg::Twist());
  rclcpp::shutdown();
  return corners == 4 ? 0 : 1;
}
