// Eigen's types: to messages and back, and from frame to frame.
#pragma once

#include <Eigen/Geometry>
#include <geometry_msgs/msg/point.hpp>
#include <geometry_msgs/msg/pose.hpp>
#include <geometry_msgs/msg/transform_stamped.hpp>

#include "tf2/convert.hpp"

namespace tf2 {

inline Eigen::Isometry3d transformToEigen(const geometry_msgs::msg::Transform& t) {
  const auto& q = t.rotation;
  return Eigen::Isometry3d(Eigen::Translation3d(t.translation.x, t.translation.y, t.translation.z) *
                           Eigen::Quaterniond(q.w, q.x, q.y, q.z));
}
inline Eigen::Isometry3d transformToEigen(const geometry_msgs::msg::TransformStamped& t) {
  return transformToEigen(t.transform);
}
template <class EigenTransform>
geometry_msgs::msg::TransformStamped eigenToTransform(const EigenTransform& T) {
  geometry_msgs::msg::TransformStamped out;
  const Eigen::Vector3d p = T.translation();
  const Eigen::Quaterniond q(T.linear());
  auto& t = out.transform;
  t.translation.x = p.x(), t.translation.y = p.y(), t.translation.z = p.z();
  t.rotation.x = q.x(), t.rotation.y = q.y(), t.rotation.z = q.z(), t.rotation.w = q.w();
  return out;
}

}  // namespace tf2

// In Eigen's namespace, so that tf2::convert() finds them.
namespace Eigen {

inline geometry_msgs::msg::Point toMsg(const Vector3d& in) {
  geometry_msgs::msg::Point out;
  out.x = in.x(), out.y = in.y(), out.z = in.z();
  return out;
}
inline geometry_msgs::msg::Vector3& toMsg(const Vector3d& in, geometry_msgs::msg::Vector3& out) {
  return out.x = in.x(), out.y = in.y(), out.z = in.z(), out;
}
inline void fromMsg(const geometry_msgs::msg::Point& in, Vector3d& out) { out = {in.x, in.y, in.z}; }
inline void fromMsg(const geometry_msgs::msg::Vector3& in, Vector3d& out) { out = {in.x, in.y, in.z}; }
inline geometry_msgs::msg::Quaternion toMsg(const Quaterniond& in) {
  geometry_msgs::msg::Quaternion out;
  out.x = in.x(), out.y = in.y(), out.z = in.z(), out.w = in.w();
  return out;
}
inline void fromMsg(const geometry_msgs::msg::Quaternion& in, Quaterniond& out) {
  out = Quaterniond(in.w, in.x, in.y, in.z);
}
template <int Mode>
geometry_msgs::msg::Pose toMsg(const Transform<double, 3, Mode>& in) {
  geometry_msgs::msg::Pose out;
  out.position = toMsg(Vector3d(in.translation()));
  Quaterniond q(in.linear());
  if (q.w() < 0) q.coeffs() *= -1;
  out.orientation = toMsg(q);
  return out;
}
template <int Mode>
void fromMsg(const geometry_msgs::msg::Pose& in, Transform<double, 3, Mode>& out) {
  const auto& q = in.orientation;
  out = Translation3d(in.position.x, in.position.y, in.position.z) * Quaterniond(q.w, q.x, q.y, q.z);
}

}  // namespace Eigen

namespace tf2 {

using Eigen::fromMsg;
using Eigen::toMsg;

template <>
inline void doTransform(const Eigen::Vector3d& in, Eigen::Vector3d& out,
                        const geometry_msgs::msg::TransformStamped& t) {
  out = transformToEigen(t) * in;
}
template <>
inline void doTransform(const Eigen::Isometry3d& in, Eigen::Isometry3d& out,
                        const geometry_msgs::msg::TransformStamped& t) {
  out = transformToEigen(t) * in;
}
template <>
inline void doTransform(const Eigen::Quaterniond& in, Eigen::Quaterniond& out,
                        const geometry_msgs::msg::TransformStamped& t) {
  const auto& q = t.transform.rotation;
  out = Eigen::Quaterniond(q.w, q.x, q.y, q.z) * in;
}

}  // namespace tf2
