// A frame that circles another, and who asks where it is.
#include <chrono>
#include <cmath>
#include <memory>

#include "geometry_msgs/msg/point_stamped.hpp"
#include "geometry_msgs/msg/transform_stamped.hpp"
#include "rclcpp/rclcpp.hpp"
#include "rclcpp_components/register_node_macro.hpp"
#include "tf2/LinearMath/Quaternion.h"
#include "tf2_geometry_msgs/tf2_geometry_msgs.hpp"
#include "tf2_ros/buffer.h"
#include "tf2_ros/transform_broadcaster.h"
#include "tf2_ros/transform_listener.h"

namespace convoy_demo {

using std::chrono_literals::operator""ms;

class Orbit : public rclcpp::Node {
 public:
  explicit Orbit(const rclcpp::NodeOptions& options) : Node("orbit", options) {
    broadcaster_ = std::make_unique<tf2_ros::TransformBroadcaster>(*this);
    timer_ = create_wall_timer(50ms, [this] { send(); });
  }

 private:
  void send() {
    const double angle = 0.05 * ++sent_;
    geometry_msgs::msg::TransformStamped t;
    t.header.stamp = get_clock()->now();
    t.header.frame_id = "world";
    t.child_frame_id = "moon";
    t.transform.translation.x = 2 * std::cos(angle);
    t.transform.translation.y = 2 * std::sin(angle);
    tf2::Quaternion q;
    q.setRPY(0, 0, angle);
    t.transform.rotation = tf2::toMsg(q);
    broadcaster_->sendTransform(t);
  }

  int sent_ = 0;
  std::unique_ptr<tf2_ros::TransformBroadcaster> broadcaster_;
  rclcpp::TimerBase::SharedPtr timer_;
};

class Follower : public rclcpp::Node {
 public:
  explicit Follower(const rclcpp::NodeOptions& options) : Node("follower", options) {
    buffer_ = std::make_unique<tf2_ros::Buffer>(get_clock());
    listener_ = std::make_shared<tf2_ros::TransformListener>(*buffer_);
    timer_ = create_wall_timer(500ms, [this] { look(); });
  }

 private:
  void look() {
    try {
      geometry_msgs::msg::PointStamped front;
      front.header.frame_id = "moon";
      front.point.x = 1;
      const auto at = buffer_->transform(front, "world");
      RCLCPP_INFO(get_logger(), "its front is %.3f from the middle", std::hypot(at.point.x, at.point.y));
    } catch (const tf2::TransformException& e) { RCLCPP_WARN(get_logger(), "%s", e.what()); }
  }

  std::unique_ptr<tf2_ros::Buffer> buffer_;
  std::shared_ptr<tf2_ros::TransformListener> listener_;
  rclcpp::TimerBase::SharedPtr timer_;
};

}  // namespace convoy_demo

RCLCPP_COMPONENTS_REGISTER_NODE(convoy_demo::Orbit)
RCLCPP_COMPONENTS_REGISTER_NODE(convoy_demo::Follower)
