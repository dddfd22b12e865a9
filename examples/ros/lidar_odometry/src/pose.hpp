// Poses and motions: a rotation and a translation, X_AB takes a point of frame B to frame A.
//
// Of libm only sqrt() is used, which is exact: every host computes the same bits.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>

namespace lidar_odometry {

struct Pose {
  Eigen::Quaterniond rotation = Eigen::Quaterniond::Identity();
  Eigen::Vector3d translation = Eigen::Vector3d::Zero();

  Pose operator*(const Pose& other) const {
    return {(rotation * other.rotation).normalized(), translation + rotation * other.translation};
  }
  Eigen::Vector3d operator*(const Eigen::Vector3d& point) const { return translation + rotation * point; }
  Pose inverse() const { return {rotation.conjugate(), -(rotation.conjugate() * translation)}; }
};

// The axis of a rotation, as long as 2 tan(angle / 2): nearly the angle, where that is small.
inline Eigen::Vector3d small_angles(const Eigen::Quaterniond& q) { return q.vec() * (2 / q.w()); }
inline Eigen::Quaterniond from_small_angles(const Eigen::Vector3d& v) {
  return Eigen::Quaterniond(1, v.x() / 2, v.y() / 2, v.z() / 2).normalized();
}

// A share of a motion at constant velocity. Rotation and translation go by themselves: the path of 1 m with a turn of
// 0.1 rad is 1 cm off the arc.
inline Pose part(const Pose& motion, double share) {
  return {from_small_angles(share * small_angles(motion.rotation)), share * motion.translation};
}

}  // namespace lidar_odometry
