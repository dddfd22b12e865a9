// The angles of any rotation that tf2 can convert, in radians.
#pragma once

#include <geometry_msgs/msg/quaternion.hpp>
#include <geometry_msgs/msg/quaternion_stamped.hpp>

#include "tf2/LinearMath/Transform.hpp"
#include "tf2/convert.hpp"

namespace tf2 {
namespace impl {

inline Quaternion toQuaternion(const Quaternion& q) { return q; }
inline Quaternion toQuaternion(const geometry_msgs::msg::Quaternion& q) { return {q.x, q.y, q.z, q.w}; }
inline Quaternion toQuaternion(const geometry_msgs::msg::QuaternionStamped& q) { return toQuaternion(q.quaternion); }
template <class T>
Quaternion toQuaternion(const Stamped<T>& t) {
  return toQuaternion(static_cast<const T&>(t));
}
template <class T>
Quaternion toQuaternion(const T& t) {
  geometry_msgs::msg::Quaternion q;
  convert(t, q);
  return toQuaternion(q);
}

}  // namespace impl

// Near the poles, where roll and yaw turn about the same axis, roll is 0.
void getEulerYPR(const Quaternion& q, double& yaw, double& pitch, double& roll);
template <class A>
void getEulerYPR(const A& a, double& yaw, double& pitch, double& roll) {
  getEulerYPR(impl::toQuaternion(a), yaw, pitch, roll);
}
template <class A>
double getYaw(const A& a) {
  double yaw, pitch, roll;
  getEulerYPR(impl::toQuaternion(a), yaw, pitch, roll);
  return yaw;
}
template <class A>
A getTransformIdentity() {
  Transform t;
  t.setIdentity();
  A a;
  convert(t, a);
  return a;
}

}  // namespace tf2
