// geometry_msgs: to tf2's types and back, and from frame to frame.
#pragma once

#include <geometry_msgs/msg/point_stamped.hpp>
#include <geometry_msgs/msg/polygon_stamped.hpp>
#include <geometry_msgs/msg/pose_array.hpp>
#include <geometry_msgs/msg/pose_stamped.hpp>
#include <geometry_msgs/msg/pose_with_covariance_stamped.hpp>
#include <geometry_msgs/msg/quaternion_stamped.hpp>
#include <geometry_msgs/msg/transform_stamped.hpp>
#include <geometry_msgs/msg/vector3_stamped.hpp>
#include <geometry_msgs/msg/wrench_stamped.hpp>

#include "tf2/LinearMath/Transform.hpp"
#include "tf2/convert.hpp"

namespace tf2 {
namespace gm = geometry_msgs::msg;

// --- values

inline gm::Vector3 toMsg(const Vector3& in) {
  gm::Vector3 out;
  out.x = in.x(), out.y = in.y(), out.z = in.z();
  return out;
}
inline void fromMsg(const gm::Vector3& in, Vector3& out) { out = Vector3(in.x, in.y, in.z); }
inline gm::Point& toMsg(const Vector3& in, gm::Point& out) {
  return out.x = in.x(), out.y = in.y(), out.z = in.z(), out;
}
inline void fromMsg(const gm::Point& in, Vector3& out) { out = Vector3(in.x, in.y, in.z); }
inline gm::Quaternion toMsg(const Quaternion& in) {
  gm::Quaternion out;
  out.x = in.x(), out.y = in.y(), out.z = in.z(), out.w = in.w();
  return out;
}
inline void fromMsg(const gm::Quaternion& in, Quaternion& out) { out = Quaternion(in.x, in.y, in.z, in.w); }
inline gm::Transform toMsg(const Transform& in) {
  gm::Transform out;
  out.translation = toMsg(in.getOrigin()), out.rotation = toMsg(in.getRotation());
  return out;
}
inline void fromMsg(const gm::Transform& in, Transform& out) {
  out = Transform(Quaternion(in.rotation.x, in.rotation.y, in.rotation.z, in.rotation.w),
                  Vector3(in.translation.x, in.translation.y, in.translation.z));
}
inline gm::Pose& toMsg(const Transform& in, gm::Pose& out) {
  return toMsg(in.getOrigin(), out.position), out.orientation = toMsg(in.getRotation()), out;
}
inline void fromMsg(const gm::Pose& in, Transform& out) {
  out = Transform(Quaternion(in.orientation.x, in.orientation.y, in.orientation.z, in.orientation.w),
                  Vector3(in.position.x, in.position.y, in.position.z));
}

// --- times

namespace geometry_detail {
inline TimePoint time_of(const builtin_interfaces::msg::Time& stamp) {
  return TimePoint(std::chrono::seconds(stamp.sec) + std::chrono::nanoseconds(stamp.nanosec));
}
inline builtin_interfaces::msg::Time stamp_of(TimePoint time) {
  builtin_interfaces::msg::Time out;
  const auto whole = std::chrono::floor<std::chrono::seconds>(time);
  out.sec = static_cast<std::int32_t>(whole.time_since_epoch().count());
  out.nanosec = static_cast<std::uint32_t>((time - whole).count());
  return out;
}
}  // namespace geometry_detail

#define TF2_GEOMETRY_STAMPED(Message)                            \
  template <>                                                    \
  inline TimePoint getTimestamp(const gm::Message& t) {          \
    return geometry_detail::time_of(t.header.stamp);             \
  }                                                              \
  template <>                                                    \
  inline std::string getFrameId(const gm::Message& t) {          \
    return t.header.frame_id;                                    \
  }                                                              \
  inline gm::Message toMsg(const gm::Message& in) { return in; } \
  inline void fromMsg(const gm::Message& in, gm::Message& out) { out = in; }
TF2_GEOMETRY_STAMPED(PointStamped)
TF2_GEOMETRY_STAMPED(PolygonStamped)
TF2_GEOMETRY_STAMPED(PoseArray)
TF2_GEOMETRY_STAMPED(PoseStamped)
TF2_GEOMETRY_STAMPED(PoseWithCovarianceStamped)
TF2_GEOMETRY_STAMPED(QuaternionStamped)
TF2_GEOMETRY_STAMPED(TransformStamped)
TF2_GEOMETRY_STAMPED(Vector3Stamped)
TF2_GEOMETRY_STAMPED(WrenchStamped)
#undef TF2_GEOMETRY_STAMPED
template <>
inline std::array<std::array<double, 6>, 6> getCovarianceMatrix(const gm::PoseWithCovarianceStamped& t) {
  return covarianceRowMajorToNested(t.pose.covariance);
}

// --- stamped data of tf2

#define TF2_GEOMETRY_OF_STAMPED(Type, Message, assign_out, read_in)                              \
  inline gm::Message toMsg(const Stamped<Type>& in) {                                            \
    gm::Message out;                                                                             \
    out.header.stamp = geometry_detail::stamp_of(in.stamp_), out.header.frame_id = in.frame_id_; \
    assign_out;                                                                                  \
    return out;                                                                                  \
  }                                                                                              \
  inline void fromMsg(const gm::Message& in, Stamped<Type>& out) {                               \
    out.stamp_ = geometry_detail::time_of(in.header.stamp), out.frame_id_ = in.header.frame_id;  \
    fromMsg(read_in, static_cast<Type&>(out));                                                   \
  }
TF2_GEOMETRY_OF_STAMPED(Vector3, PointStamped, toMsg(static_cast<const Vector3&>(in), out.point), in.point)
TF2_GEOMETRY_OF_STAMPED(Quaternion, QuaternionStamped, out.quaternion = toMsg(static_cast<const Quaternion&>(in)),
                        in.quaternion)
TF2_GEOMETRY_OF_STAMPED(Transform, TransformStamped, out.transform = toMsg(static_cast<const Transform&>(in)),
                        in.transform)
#undef TF2_GEOMETRY_OF_STAMPED
inline gm::PoseStamped& toMsg(const Stamped<Transform>& in, gm::PoseStamped& out) {
  out.header.stamp = geometry_detail::stamp_of(in.stamp_), out.header.frame_id = in.frame_id_;
  toMsg(static_cast<const Transform&>(in), out.pose);
  return out;
}
inline void fromMsg(const gm::PoseStamped& in, Stamped<Transform>& out) {
  out.stamp_ = geometry_detail::time_of(in.header.stamp), out.frame_id_ = in.header.frame_id;
  fromMsg(in.pose, static_cast<Transform&>(out));
}
inline void fromMsg(const gm::PoseWithCovarianceStamped& in, WithCovarianceStamped<Transform>& out) {
  out.stamp_ = geometry_detail::time_of(in.header.stamp), out.frame_id_ = in.header.frame_id;
  out.cov_mat_ = covarianceRowMajorToNested(in.pose.covariance);
  fromMsg(in.pose.pose, static_cast<Transform&>(out));
}

// --- from frame to frame: t is X_out_in

template <>
inline void doTransform(const gm::Vector3& in, gm::Vector3& out, const gm::TransformStamped& t) {
  Quaternion q;
  fromMsg(t.transform.rotation, q);
  out = toMsg(Matrix3x3(q) * Vector3(in.x, in.y, in.z));  // a direction: it only turns
}
template <>
inline void doTransform(const gm::Point& in, gm::Point& out, const gm::TransformStamped& t) {
  Transform X;
  fromMsg(t.transform, X);
  toMsg(X * Vector3(in.x, in.y, in.z), out);
}
template <>
inline void doTransform(const gm::Point32& in, gm::Point32& out, const gm::TransformStamped& t) {
  Transform X;
  fromMsg(t.transform, X);
  const Vector3 p = X * Vector3(in.x, in.y, in.z);
  out.x = static_cast<float>(p.x()), out.y = static_cast<float>(p.y()), out.z = static_cast<float>(p.z());
}
template <>
inline void doTransform(const gm::Quaternion& in, gm::Quaternion& out, const gm::TransformStamped& t) {
  Quaternion q, r;
  fromMsg(in, q), fromMsg(t.transform.rotation, r);
  out = toMsg(r * q);
}
template <>
inline void doTransform(const gm::Pose& in, gm::Pose& out, const gm::TransformStamped& t) {
  Transform X, pose;
  fromMsg(t.transform, X), fromMsg(in, pose);
  toMsg(X * pose, out);
}
template <>
inline void doTransform(const gm::Transform& in, gm::Transform& out, const gm::TransformStamped& t) {
  Transform X, x;
  fromMsg(t.transform, X), fromMsg(in, x);
  out = toMsg(X * x);
}
template <>
inline void doTransform(const gm::Wrench& in, gm::Wrench& out, const gm::TransformStamped& t) {
  doTransform(in.force, out.force, t), doTransform(in.torque, out.torque, t);
}
template <>
inline void doTransform(const gm::Polygon& in, gm::Polygon& out, const gm::TransformStamped& t) {
  out.points.resize(in.points.size());
  for (std::size_t i = 0; i < in.points.size(); ++i) doTransform(in.points[i], out.points[i], t);
}

// The covariance (x, y, z, and the turns about them) turns with the axes: R C R^T for each 3x3 part.
inline gm::PoseWithCovariance::_covariance_type transformCovariance(const gm::PoseWithCovariance::_covariance_type& in,
                                                                    const Transform& X) {
  const Matrix3x3 R = X.getBasis();
  gm::PoseWithCovariance::_covariance_type out{};
  for (int row = 0; row < 6; row += 3)
    for (int column = 0; column < 6; column += 3) {
      Matrix3x3 part;
      for (int i = 0; i < 9; ++i) part[i / 3][i % 3] = in[static_cast<std::size_t>((row + i / 3) * 6 + column + i % 3)];
      const Matrix3x3 turned = R * part * R.transpose();
      for (int i = 0; i < 9; ++i)
        out[static_cast<std::size_t>((row + i / 3) * 6 + column + i % 3)] = turned[i / 3][i % 3];
    }
  return out;
}

// The stamp and frame of what comes out are the transform's.
#define TF2_GEOMETRY_TRANSFORM(Message, field)                                                      \
  template <>                                                                                       \
  inline void doTransform(const gm::Message& in, gm::Message& out, const gm::TransformStamped& t) { \
    doTransform(in.field, out.field, t);                                                            \
    out.header.stamp = t.header.stamp, out.header.frame_id = t.header.frame_id;                     \
  }
TF2_GEOMETRY_TRANSFORM(PointStamped, point)
TF2_GEOMETRY_TRANSFORM(PolygonStamped, polygon)
TF2_GEOMETRY_TRANSFORM(PoseStamped, pose)
TF2_GEOMETRY_TRANSFORM(QuaternionStamped, quaternion)
TF2_GEOMETRY_TRANSFORM(Vector3Stamped, vector)
TF2_GEOMETRY_TRANSFORM(WrenchStamped, wrench)
#undef TF2_GEOMETRY_TRANSFORM
template <>
inline void doTransform(const gm::TransformStamped& in, gm::TransformStamped& out, const gm::TransformStamped& t) {
  doTransform(in.transform, out.transform, t);
  out.header = t.header, out.child_frame_id = in.child_frame_id;
}
template <>
inline void doTransform(const gm::PoseArray& in, gm::PoseArray& out, const gm::TransformStamped& t) {
  out.poses.resize(in.poses.size());
  for (std::size_t i = 0; i < in.poses.size(); ++i) doTransform(in.poses[i], out.poses[i], t);
  out.header = t.header;
}
template <>
inline void doTransform(const gm::PoseWithCovarianceStamped& in, gm::PoseWithCovarianceStamped& out,
                        const gm::TransformStamped& t) {
  Transform X;
  fromMsg(t.transform, X);
  doTransform(in.pose.pose, out.pose.pose, t);
  out.pose.covariance = transformCovariance(in.pose.covariance, X);
  out.header = t.header;
}

}  // namespace tf2
