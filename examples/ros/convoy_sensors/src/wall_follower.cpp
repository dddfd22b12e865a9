// Follows the wall on its right by the scan: the nearest beams to the side give its distance, those ahead the turn.
#include <algorithm>
#include <cmath>
#include <limits>

#include <geometry_msgs/msg/twist.hpp>
#include <rclcpp/rclcpp.hpp>
#include <rclcpp_components/register_node_macro.hpp>
#include <sensor_msgs/msg/laser_scan.hpp>

namespace convoy_sensors {

using sensor_msgs::msg::LaserScan;

class WallFollower : public rclcpp::Node {
 public:
  explicit WallFollower(const rclcpp::NodeOptions& options) : Node("wall_follower", options) {
    speed_ = declare_parameter("speed", 0.2);
    distance_ = declare_parameter("distance", 0.4);
    command_ = create_publisher<geometry_msgs::msg::Twist>("cmd_vel", 10);
    scan_ = create_subscription<LaserScan>("scan", rclcpp::SensorDataQoS(),
                                           [this](const LaserScan& scan) { follow(scan); });
  }

 private:
  // Of the beams between two angles, counter-clockwise from ahead, rad.
  static double nearest(const LaserScan& scan, double from, double to) {
    double nearest = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < scan.ranges.size(); ++i) {
      const double angle = std::remainder(scan.angle_min + static_cast<double>(i) * scan.angle_increment, 2 * M_PI);
      if (angle < from || angle > to || !(scan.ranges[i] >= scan.range_min)) continue;
      nearest = std::min(nearest, static_cast<double>(scan.ranges[i]));
    }
    return nearest;
  }

  void follow(const LaserScan& scan) {
    const double ahead = nearest(scan, -0.35, 0.35), right = nearest(scan, -2.0, -0.6);
    geometry_msgs::msg::Twist command;
    if (ahead < 1.5 * distance_) {  // a corner: turn away from the wall
      command.angular.z = 1.2;
      command.linear.x = ahead < distance_ ? 0 : 0.3 * speed_;
    } else {
      const double error = std::isfinite(right) ? distance_ - right : -distance_;
      command.angular.z = std::clamp(2.5 * error, -0.8, 0.8);
      command.linear.x = speed_;
    }
    command_->publish(command);
  }

  double speed_ = 0, distance_ = 0;
  rclcpp::Publisher<geometry_msgs::msg::Twist>::SharedPtr command_;
  rclcpp::Subscription<LaserScan>::SharedPtr scan_;
};

}  // namespace convoy_sensors

RCLCPP_COMPONENTS_REGISTER_NODE(convoy_sensors::WallFollower)
