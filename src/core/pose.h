// Arithmetic with poses that are not quite sound: lengths, unit quaternions, turns, and the level frame under a pose.
#pragma once

#include <cmath>

#include "convoy/geometry.h"
#include "core/math.h"

namespace convoy {

inline double norm(const Vec3& v) { return std::sqrt(dot(v, v)); }
inline double length(const Quat& q) { return std::sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z); }
// No rotation if it has no length.
inline Quat unit(const Quat& q) {
  const double n = length(q);
  return n > 0 ? Quat{q.w / n, q.x / n, q.y / n, q.z / n} : Quat{};
}
// A turn about an axis of length 1, rad.
inline Quat from_axis_angle(const Vec3& axis, double angle) {
  double s = 0, c = 1;
  math::sincos(angle / 2, s, c);
  return {c, s * axis.x, s * axis.y, s * axis.z};
}
// Of a pose: its place on the ground and its heading.
inline Pose level(const Pose& X) {
  const double n = std::sqrt(X.q.w * X.q.w + X.q.z * X.q.z);
  return {{X.p.x, X.p.y, 0}, n > 0 ? Quat{X.q.w / n, 0, 0, X.q.z / n} : Quat{}};
}
inline bool is_level(const Pose& X) { return X.p.z == 0 && X.q.x == 0 && X.q.y == 0; }
inline Twist rotated(const Quat& q, const Twist& v) { return {rotate(q, v.v), rotate(q, v.w)}; }

}  // namespace convoy
