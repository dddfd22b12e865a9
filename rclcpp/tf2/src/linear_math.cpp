#include "core/math.h"
#include "tf2/LinearMath/Transform.hpp"
#include "tf2/utils.hpp"

tf2Scalar tf2Cos(tf2Scalar x) { return convoy::math::cos(x); }
tf2Scalar tf2Sin(tf2Scalar x) { return convoy::math::sin(x); }
tf2Scalar tf2Tan(tf2Scalar x) { return convoy::math::tan(x); }
tf2Scalar tf2Atan(tf2Scalar x) { return convoy::math::atan(x); }
tf2Scalar tf2Atan2(tf2Scalar y, tf2Scalar x) { return convoy::math::atan2(y, x); }
// (1 - x)(1 + x) keeps what 1 - x*x loses near the ends.
tf2Scalar tf2Acos(tf2Scalar x) {
  x = std::clamp(x, -1.0, 1.0);
  return tf2Atan2(std::sqrt((1 - x) * (1 + x)), x);
}
tf2Scalar tf2Asin(tf2Scalar x) {
  x = std::clamp(x, -1.0, 1.0);
  return tf2Atan2(x, std::sqrt((1 - x) * (1 + x)));
}

namespace tf2 {
namespace {

Quaternion about(int axis, tf2Scalar angle) {
  Quaternion q(0, 0, 0, 0);
  double s, c;
  convoy::math::sincos(angle / 2, s, c);
  q[axis] = s, q[3] = c;
  return q;
}

}  // namespace

void Quaternion::setRotation(const Vector3& axis, const tf2Scalar& angle) {
  const tf2Scalar s = tf2Sin(angle / 2) / axis.length();
  setValue(axis.x() * s, axis.y() * s, axis.z() * s, tf2Cos(angle / 2));
}

void Quaternion::setEuler(const tf2Scalar& yaw, const tf2Scalar& pitch, const tf2Scalar& roll) {
  *this = about(1, yaw) * about(0, pitch) * about(2, roll);
}

void Quaternion::setRPY(const tf2Scalar& roll, const tf2Scalar& pitch, const tf2Scalar& yaw) {
  *this = about(2, yaw) * about(1, pitch) * about(0, roll);
}

Vector3 Quaternion::getAxis() const {
  const tf2Scalar s2 = 1 - w() * w();
  if (s2 < 10 * TF2SIMD_EPSILON) return {1, 0, 0};  // any
  const tf2Scalar s = tf2Sqrt(s2);
  return {x() / s, y() / s, z() / s};
}

Quaternion Quaternion::slerp(const Quaternion& q, const tf2Scalar& t) const {
  const tf2Scalar theta = angleShortestPath(q) / 2;
  if (theta == 0) return *this;
  const tf2Scalar s = tf2Sin(theta);
  const Quaternion end = dot(q) < 0 ? -q : q;
  return *this * (tf2Sin((1 - t) * theta) / s) + end * (tf2Sin(t * theta) / s);
}

Quaternion shortestArcQuat(const Vector3& a, const Vector3& b) {
  const Vector3 c = a.cross(b);
  const tf2Scalar d = a.dot(b);
  if (d < -1 + TF2SIMD_EPSILON) {  // opposite: half a turn about anything across a
    const Vector3 across =
        (tf2Fabs(a.z()) > TF2SIMDSQRT12 ? Vector3(0, -a.z(), a.y()) : Vector3(-a.y(), a.x(), 0)).normalized();
    return {across.x(), across.y(), across.z(), 0};
  }
  const tf2Scalar s = tf2Sqrt((1 + d) * 2);
  return {c.x() / s, c.y() / s, c.z() / s, s / 2};
}

void Matrix3x3::setRotation(const Quaternion& q) {
  const tf2Scalar s = 2 / q.length2();
  const tf2Scalar xs = q.x() * s, ys = q.y() * s, zs = q.z() * s;
  const tf2Scalar wx = q.w() * xs, wy = q.w() * ys, wz = q.w() * zs;
  const tf2Scalar xx = q.x() * xs, xy = q.x() * ys, xz = q.x() * zs, yy = q.y() * ys, yz = q.y() * zs, zz = q.z() * zs;
  setValue(1 - (yy + zz), xy - wz, xz + wy, xy + wz, 1 - (xx + zz), yz - wx, xz - wy, yz + wx, 1 - (xx + yy));
}

// From the largest of the four, so that nothing is divided by a small number.
void Matrix3x3::getRotation(Quaternion& q) const {
  const Matrix3x3& m = *this;
  const tf2Scalar trace = m[0].x() + m[1].y() + m[2].z();
  if (trace > 0) {
    const tf2Scalar s = tf2Sqrt(trace + 1), f = 0.5 / s;
    q.setValue((m[2].y() - m[1].z()) * f, (m[0].z() - m[2].x()) * f, (m[1].x() - m[0].y()) * f, s * 0.5);
    return;
  }
  const int i = Vector3(m[0].x(), m[1].y(), m[2].z()).maxAxis(), j = (i + 1) % 3, k = (i + 2) % 3;
  const tf2Scalar s = tf2Sqrt(m[i][i] - m[j][j] - m[k][k] + 1), f = 0.5 / s;
  q[i] = s * 0.5;
  q[3] = (m[k][j] - m[j][k]) * f;
  q[j] = (m[j][i] + m[i][j]) * f;
  q[k] = (m[k][i] + m[i][k]) * f;
}

void Matrix3x3::setRPY(tf2Scalar roll, tf2Scalar pitch, tf2Scalar yaw) {
  double sr, cr, sp, cp, sy, cy;
  convoy::math::sincos(roll, sr, cr);
  convoy::math::sincos(pitch, sp, cp);
  convoy::math::sincos(yaw, sy, cy);
  setValue(cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr, sy * cp, sy * sp * sr + cy * cr,
           sy * sp * cr - cy * sr, -sp, cp * sr, cp * cr);
}

void Matrix3x3::getEulerYPR(tf2Scalar& yaw, tf2Scalar& pitch, tf2Scalar& roll, unsigned int solution) const {
  const Matrix3x3& m = *this;
  if (tf2Fabs(m[2].x()) >= 1) {
    const tf2Scalar sign = m[2].x() < 0 ? 1 : -1;
    yaw = 0, pitch = sign * TF2SIMD_HALF_PI, roll = tf2Atan2(sign * m[0].y(), sign * m[0].z());
    return;
  }
  const tf2Scalar first = -tf2Asin(m[2].x());
  const tf2Scalar sign = solution == 1 ? 1 : -1;  // of cos(pitch)
  pitch = solution == 1 ? first : TF2SIMD_PI - first;
  roll = tf2Atan2(sign * m[2].y(), sign * m[2].z());
  yaw = tf2Atan2(sign * m[1].x(), sign * m[0].x());
}

void getEulerYPR(const Quaternion& q, double& yaw, double& pitch, double& roll) {
  const double xx = q.x() * q.x(), yy = q.y() * q.y(), zz = q.z() * q.z(), ww = q.w() * q.w();
  const double s = -2 * (q.x() * q.z() - q.w() * q.y()) / (xx + yy + zz + ww);  // sin(pitch)
  if (std::fabs(s) >= 0.99999) {
    const double sign = s > 0 ? 1 : -1;
    pitch = sign * TF2SIMD_HALF_PI, roll = 0, yaw = -2 * sign * tf2Atan2(q.x(), q.w());
    return;
  }
  pitch = tf2Asin(s);
  roll = tf2Atan2(2 * (q.y() * q.z() + q.w() * q.x()), ww - xx - yy + zz);
  yaw = tf2Atan2(2 * (q.x() * q.y() + q.w() * q.z()), ww + xx - yy - zz);
}

}  // namespace tf2
