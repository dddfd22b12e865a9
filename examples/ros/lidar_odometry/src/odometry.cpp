// lidar_odometry::Odometry: point clouds in, odometry and the transform odom -> base_link out.
#include <tf2_ros/buffer.h>
#include <tf2_ros/transform_broadcaster.h>
#include <tf2_ros/transform_listener.h>

#include <cstring>
#include <nav_msgs/msg/odometry.hpp>
#include <optional>
#include <rclcpp/rclcpp.hpp>
#include <rclcpp_components/register_node_macro.hpp>
#include <sensor_msgs/msg/point_cloud2.hpp>

#include "estimator.hpp"

namespace lidar_odometry {

using sensor_msgs::msg::PointCloud2;
using sensor_msgs::msg::PointField;

namespace {

// Where a field of 32-bit floats is in a point; nothing if there is no such field.
std::optional<std::size_t> offset_of(const PointCloud2& cloud, const std::string& name) {
  for (const PointField& field : cloud.fields)
    if (field.name == name && field.datatype == PointField::FLOAT32 && field.offset + sizeof(float) <= cloud.point_step)
      return field.offset;
  return {};
}

float float_at(const std::uint8_t* bytes) {
  float value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

}  // namespace

class Odometry : public rclcpp::Node {
 public:
  explicit Odometry(const rclcpp::NodeOptions& options)
      : Node("odometry", options),
        base_frame_(declare_parameter("base_frame", "base_link")),
        odom_frame_(declare_parameter("odom_frame", "odom")),
        nearest_(declare_parameter("min_range", 1.0)),
        farthest_(declare_parameter("max_range", 60.0)),
        estimator_(settings()),
        frames_(get_clock()),
        listener_(frames_, this),
        broadcaster_(this) {
    odometry_ = create_publisher<nav_msgs::msg::Odometry>("odometry", 10);
    clouds_ = create_subscription<PointCloud2>("lidar/points", rclcpp::SensorDataQoS(),
                                               [this](const PointCloud2& cloud) { add(cloud); });
  }

 private:
  Estimator::Settings settings() {
    Estimator::Settings s;
    s.map.radius = farthest_;
    s.map.voxel = declare_parameter("voxel", s.map.voxel);
    s.map.points = static_cast<std::size_t>(declare_parameter("points_per_voxel", static_cast<int>(s.map.points)));
    s.map.around = declare_parameter("around", s.map.around);
    s.map.grain = declare_parameter("grain", s.map.grain);
    return s;
  }

  void add(const PointCloud2& cloud) {
    const std::optional<Pose> mount = mount_of(cloud.header.frame_id);
    const std::optional<std::vector<Measured>> sweep = mount ? measured(cloud, *mount) : std::nullopt;
    if (!sweep) return;
    const rclcpp::Time stamp(cloud.header.stamp);
    const double elapsed = last_ ? (stamp - *last_).seconds() : 0;
    if (last_ && elapsed <= 0) {
      RCLCPP_WARN(get_logger(), "a cloud is no later than the one before it: left out");
      return;
    }
    last_ = stamp;
    publish(cloud.header.stamp, estimator_.add(*sweep, elapsed).pose, elapsed);
  }

  std::optional<Pose> mount_of(const std::string& frame) {
    if (frame == base_frame_) return Pose{};
    try {
      const auto found = frames_.lookupTransform(base_frame_, frame, tf2::TimePointZero).transform;
      const auto& q = found.rotation;
      const auto& t = found.translation;
      return Pose{Eigen::Quaterniond(q.w, q.x, q.y, q.z).normalized(), {t.x, t.y, t.z}};
    } catch (const tf2::TransformException& e) {
      RCLCPP_WARN_THROTTLE(get_logger(), *get_clock(), 1000, "a cloud is left out: %s", e.what());
      return {};
    }
  }

  // The points in the vehicle's frame; those without a time all at the stamp.
  std::optional<std::vector<Measured>> measured(const PointCloud2& cloud, const Pose& mount) {
    const auto x = offset_of(cloud, "x"), y = offset_of(cloud, "y"), z = offset_of(cloud, "z");
    const auto time = offset_of(cloud, "time");
    const std::size_t count = std::size_t{cloud.width} * cloud.height;
    if (!x || !y || !z || cloud.is_bigendian || cloud.row_step != cloud.width * cloud.point_step ||
        cloud.data.size() < count * cloud.point_step) {
      RCLCPP_WARN_ONCE(get_logger(), "clouds need x, y, z as little-endian FLOAT32, and rows without gaps: left out");
      return {};
    }
    std::vector<Measured> out;
    out.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint8_t* point = cloud.data.data() + i * cloud.point_step;
      const Eigen::Vector3d p(float_at(point + *x), float_at(point + *y), float_at(point + *z));
      const double range = p.norm();
      // Not a number is in no range.
      if (range >= nearest_ && range <= farthest_) out.push_back({mount * p, time ? float_at(point + *time) : 0.0});
    }
    return out;
  }

  void publish(const builtin_interfaces::msg::Time& stamp, const Pose& pose, double elapsed) {
    geometry_msgs::msg::TransformStamped frame;
    frame.header.stamp = stamp;
    frame.header.frame_id = odom_frame_;
    frame.child_frame_id = base_frame_;
    frame.transform.translation.x = pose.translation.x();
    frame.transform.translation.y = pose.translation.y();
    frame.transform.translation.z = pose.translation.z();
    frame.transform.rotation.x = pose.rotation.x();
    frame.transform.rotation.y = pose.rotation.y();
    frame.transform.rotation.z = pose.rotation.z();
    frame.transform.rotation.w = pose.rotation.w();
    broadcaster_.sendTransform(frame);

    auto out = std::make_unique<nav_msgs::msg::Odometry>();
    out->header = frame.header;
    out->child_frame_id = base_frame_;
    out->pose.pose.position.x = pose.translation.x();
    out->pose.pose.position.y = pose.translation.y();
    out->pose.pose.position.z = pose.translation.z();
    out->pose.pose.orientation = frame.transform.rotation;
    if (elapsed > 0) {
      const Eigen::Vector3d speed = estimator_.motion().translation / elapsed;
      const Eigen::Vector3d rate = small_angles(estimator_.motion().rotation) / elapsed;
      auto& twist = out->twist.twist;
      twist.linear.x = speed.x(), twist.linear.y = speed.y(), twist.linear.z = speed.z();
      twist.angular.x = rate.x(), twist.angular.y = rate.y(), twist.angular.z = rate.z();
    }
    odometry_->publish(std::move(out));
  }

  std::string base_frame_, odom_frame_;
  double nearest_, farthest_;  // m
  Estimator estimator_;
  std::optional<rclcpp::Time> last_;
  tf2_ros::Buffer frames_;
  tf2_ros::TransformListener listener_;
  tf2_ros::TransformBroadcaster broadcaster_;
  rclcpp::Publisher<nav_msgs::msg::Odometry>::SharedPtr odometry_;
  rclcpp::Subscription<PointCloud2>::SharedPtr clouds_;
};

}  // namespace lidar_odometry

RCLCPP_COMPONENTS_REGISTER_NODE(lidar_odometry::Odometry)
