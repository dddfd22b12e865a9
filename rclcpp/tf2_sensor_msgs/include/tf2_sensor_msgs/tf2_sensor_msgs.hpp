// sensor_msgs from frame to frame: t is X_out_in.
#pragma once

#include <sensor_msgs/msg/imu.hpp>
#include <sensor_msgs/msg/point_cloud2.hpp>
#include <sensor_msgs/point_cloud2_iterator.hpp>

#include <algorithm>

#include "tf2/LinearMath/Transform.hpp"
#include "tf2/convert.hpp"
#include "tf2_ros/buffer_interface.hpp"

namespace tf2 {
namespace sensor_detail {

inline Quaternion rotation_of(const geometry_msgs::msg::TransformStamped& t) {
  const auto& q = t.transform.rotation;
  return {q.x, q.y, q.z, q.w};
}

// Three float fields of each point, in double arithmetic.
inline void transform_fields(sensor_msgs::msg::PointCloud2& cloud, const char* x, const char* y, const char* z,
                             const Transform& X) {
  using Field = sensor_msgs::PointCloud2Iterator<float>;
  Field at_x(cloud, x), at_y(cloud, y), at_z(cloud, z);
  for (const Field end = at_x.end(); at_x != end; ++at_x, ++at_y, ++at_z) {
    const Vector3 p = X * Vector3(*at_x, *at_y, *at_z);
    *at_x = static_cast<float>(p.x()), *at_y = static_cast<float>(p.y()), *at_z = static_cast<float>(p.z());
  }
}

// R C R^T; the first element is negative where nothing is known, and stays so.
inline std::array<double, 9> turned(const std::array<double, 9>& in, const Matrix3x3& R) {
  if (in[0] < 0) return in;
  Matrix3x3 C;
  for (int i = 0; i < 9; ++i) C[i / 3][i % 3] = in[static_cast<std::size_t>(i)];
  const Matrix3x3 out = R * C * R.transpose();
  std::array<double, 9> flat{};
  for (int i = 0; i < 9; ++i) flat[static_cast<std::size_t>(i)] = out[i / 3][i % 3];
  return flat;
}

inline geometry_msgs::msg::Vector3 turned(const geometry_msgs::msg::Vector3& in, const Matrix3x3& R) {
  const Vector3 v = R * Vector3(in.x, in.y, in.z);
  geometry_msgs::msg::Vector3 out;
  out.x = v.x(), out.y = v.y(), out.z = v.z();
  return out;
}

}  // namespace sensor_detail

template <>
inline TimePoint getTimestamp(const sensor_msgs::msg::PointCloud2& p) {
  return tf2_ros::fromMsg(p.header.stamp);
}
template <>
inline std::string getFrameId(const sensor_msgs::msg::PointCloud2& p) {
  return p.header.frame_id;
}
inline sensor_msgs::msg::PointCloud2 toMsg(const sensor_msgs::msg::PointCloud2& in) { return in; }
inline void fromMsg(const sensor_msgs::msg::PointCloud2& in, sensor_msgs::msg::PointCloud2& out) { out = in; }

// x, y, z, and normal_x, normal_y, normal_z where they are; all other fields stay.
template <>
inline void doTransform(const sensor_msgs::msg::PointCloud2& in, sensor_msgs::msg::PointCloud2& out,
                        const geometry_msgs::msg::TransformStamped& t) {
  const auto& p = t.transform.translation;
  const Transform X(sensor_detail::rotation_of(t), Vector3(p.x, p.y, p.z));
  if (&in != &out) out = in;
  out.header = t.header;
  sensor_detail::transform_fields(out, "x", "y", "z", X);
  const auto is_normal = [](const sensor_msgs::msg::PointField& field) { return field.name == "normal_x"; };
  if (std::any_of(out.fields.begin(), out.fields.end(), is_normal))
    sensor_detail::transform_fields(out, "normal_x", "normal_y", "normal_z",
                                    Transform(X.getRotation(), Vector3(0, 0, 0)));
}

template <>
inline TimePoint getTimestamp(const sensor_msgs::msg::Imu& p) {
  return tf2_ros::fromMsg(p.header.stamp);
}
template <>
inline std::string getFrameId(const sensor_msgs::msg::Imu& p) {
  return p.header.frame_id;
}
inline sensor_msgs::msg::Imu toMsg(const sensor_msgs::msg::Imu& in) { return in; }
inline void fromMsg(const sensor_msgs::msg::Imu& in, sensor_msgs::msg::Imu& out) { out = in; }

// Rates and accelerations turn with the axes; the orientation is that of the new axes in the same fixed world. Where the
// sensor sits on the body does not count.
template <>
inline void doTransform(const sensor_msgs::msg::Imu& in, sensor_msgs::msg::Imu& out,
                        const geometry_msgs::msg::TransformStamped& t) {
  const Quaternion r = sensor_detail::rotation_of(t);
  const Matrix3x3 R(r);
  out.angular_velocity = sensor_detail::turned(in.angular_velocity, R);
  out.angular_velocity_covariance = sensor_detail::turned(in.angular_velocity_covariance, R);
  out.linear_acceleration = sensor_detail::turned(in.linear_acceleration, R);
  out.linear_acceleration_covariance = sensor_detail::turned(in.linear_acceleration_covariance, R);
  const Quaternion q = Quaternion(in.orientation.x, in.orientation.y, in.orientation.z, in.orientation.w) * r.inverse();
  out.orientation.x = q.x(), out.orientation.y = q.y(), out.orientation.z = q.z(), out.orientation.w = q.w();
  out.orientation_covariance = sensor_detail::turned(in.orientation_covariance, R);
  out.header = t.header;
}

}  // namespace tf2
