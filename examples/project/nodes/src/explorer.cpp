// Drives ahead, and turns away from what its laser scanner sees in front.
#include <cmath>

#include <geometry_msgs/msg/twist.hpp>
#include <rclcpp/rclcpp.hpp>
#include <rclcpp_components/register_node_macro.hpp>
#include <sensor_msgs/msg/laser_scan.hpp>

namespace my_project_nodes {

using sensor_msgs::msg::LaserScan;

class Explorer : public rclcpp::Node {
 public:
  explicit Explorer(const rclcpp::NodeOptions& options) : Node("explorer", options) {
    speed_ = declare_parameter("speed", 0.2);  // m/s
    command_ = create_publisher<geometry_msgs::msg::Twist>("cmd_vel", 10);
    scan_ =
        create_subscription<LaserScan>("scan", rclcpp::SensorDataQoS(), [this](const LaserScan& scan) { look(scan); });
  }

 private:
  void look(const LaserScan& scan) {
    double ahead = scan.range_max;  // m to the nearest thing within 30 degrees of ahead
    for (std::size_t i = 0; i < scan.ranges.size(); ++i) {
      const double angle = std::remainder(scan.angle_min + static_cast<double>(i) * scan.angle_increment, 2 * M_PI);
      if (std::abs(angle) < M_PI / 6 && scan.ranges[i] >= scan.range_min && scan.ranges[i] < ahead)
        ahead = scan.ranges[i];
    }
    geometry_msgs::msg::Twist command;
    if (ahead < 0.5) command.angular.z = 0.8;  // rad/s
    else command.linear.x = speed_;
    command_->publish(command);
  }

  double speed_ = 0;
  rclcpp::Publisher<geometry_msgs::msg::Twist>::SharedPtr command_;
  rclcpp::Subscription<LaserScan>::SharedPtr scan_;
};

}  // namespace my_project_nodes

RCLCPP_COMPONENTS_REGISTER_NODE(my_project_nodes::Explorer)
