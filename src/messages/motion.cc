#include "messages/motion.h"

#include "core/math.h"
#include "messages/geometry.h"
#include "messages/samples.h"

namespace convoy::ros {

Pose pose_of(const OdometryReading& reading) { return {{reading.x, reading.y, 0}, from_yaw(reading.yaw)}; }

nav_msgs::msg::Odometry odometry_of(const OdometryReading& reading, const RobotFrames& frames, Instant stamp) {
  nav_msgs::msg::Odometry out;
  make(reading, Duration(0), {.stamp = stamp, .frame = frames.full(frames.base), .prefix = frames.prefix}, out);
  return out;
}

geometry_msgs::msg::TransformStamped odom_transform(const OdometryReading& reading, const RobotFrames& frames,
                                                    Instant stamp) {
  return transform_of({.parent = frames.full(kOdomFrame), .child = frames.full(frames.base)}, pose_of(reading), stamp);
}

sensor_msgs::msg::JointState joint_state_of(const Model& model, std::span<const double> tail, Instant stamp) {
  sensor_msgs::msg::JointState out;
  out.header.stamp = stamp_of(stamp);
  const std::size_t n = model.joints.size();
  if (n == 0 || tail.size() < 2 * n) return out;
  const auto velocities = tail.begin() + static_cast<std::ptrdiff_t>(n);
  out.name = model.joints;
  out.position.assign(tail.begin(), velocities);
  out.velocity.assign(velocities, velocities + static_cast<std::ptrdiff_t>(n));
  return out;
}

}  // namespace convoy::ros
