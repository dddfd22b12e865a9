// tf2::Quaternion: a rotation as (x, y, z, w). Angles in radians.
#pragma once

#include "tf2/LinearMath/Vector3.hpp"

namespace tf2 {

class QuadWord {
 public:
  QuadWord() = default;
  QuadWord(const tf2Scalar& x, const tf2Scalar& y, const tf2Scalar& z, const tf2Scalar& w) : m_floats{x, y, z, w} {}
  const tf2Scalar& x() const { return m_floats[0]; }
  const tf2Scalar& y() const { return m_floats[1]; }
  const tf2Scalar& z() const { return m_floats[2]; }
  const tf2Scalar& w() const { return m_floats[3]; }
  const tf2Scalar& getX() const { return m_floats[0]; }
  const tf2Scalar& getY() const { return m_floats[1]; }
  const tf2Scalar& getZ() const { return m_floats[2]; }
  void setX(tf2Scalar x) { m_floats[0] = x; }
  void setY(tf2Scalar y) { m_floats[1] = y; }
  void setZ(tf2Scalar z) { m_floats[2] = z; }
  void setW(tf2Scalar w) { m_floats[3] = w; }
  operator tf2Scalar*() { return m_floats; }              // NOLINT: implicit, as there; it gives operator[]
  operator const tf2Scalar*() const { return m_floats; }  // NOLINT
  void setValue(const tf2Scalar& x, const tf2Scalar& y, const tf2Scalar& z, const tf2Scalar& w) {
    m_floats[0] = x, m_floats[1] = y, m_floats[2] = z, m_floats[3] = w;
  }
  bool operator==(const QuadWord& q) const { return x() == q.x() && y() == q.y() && z() == q.z() && w() == q.w(); }
  bool operator!=(const QuadWord& q) const { return !(*this == q); }

 protected:
  tf2Scalar m_floats[4] = {0, 0, 0, 0};
};

class Quaternion : public QuadWord {
 public:
  Quaternion() = default;  // all 0: no rotation yet
  using QuadWord::QuadWord;
  Quaternion(const Vector3& axis, const tf2Scalar& angle) { setRotation(axis, angle); }

  void setRotation(const Vector3& axis, const tf2Scalar& angle);
  // About Y by yaw, then the new X by pitch, then the new Z by roll.
  void setEuler(const tf2Scalar& yaw, const tf2Scalar& pitch, const tf2Scalar& roll);
  // About the fixed axes X, Y, Z, in this order.
  void setRPY(const tf2Scalar& roll, const tf2Scalar& pitch, const tf2Scalar& yaw);
  void setEulerZYX(const tf2Scalar& yaw, const tf2Scalar& pitch, const tf2Scalar& roll) { setRPY(roll, pitch, yaw); }

  Quaternion& operator+=(const Quaternion& q) { return *this = {x() + q.x(), y() + q.y(), z() + q.z(), w() + q.w()}; }
  Quaternion& operator-=(const Quaternion& q) { return *this = {x() - q.x(), y() - q.y(), z() - q.z(), w() - q.w()}; }
  Quaternion& operator*=(const tf2Scalar& s) { return *this = {x() * s, y() * s, z() * s, w() * s}; }
  Quaternion& operator*=(const Quaternion& q) {
    return *this = {w() * q.x() + x() * q.w() + y() * q.z() - z() * q.y(),
                    w() * q.y() + y() * q.w() + z() * q.x() - x() * q.z(),
                    w() * q.z() + z() * q.w() + x() * q.y() - y() * q.x(),
                    w() * q.w() - x() * q.x() - y() * q.y() - z() * q.z()};
  }
  Quaternion& operator/=(const tf2Scalar& s) { return *this *= 1 / s; }
  Quaternion operator+(const Quaternion& q) const { return Quaternion(*this) += q; }
  Quaternion operator-(const Quaternion& q) const { return Quaternion(*this) -= q; }
  Quaternion operator*(const tf2Scalar& s) const { return Quaternion(*this) *= s; }
  Quaternion operator/(const tf2Scalar& s) const { return Quaternion(*this) /= s; }
  Quaternion operator-() const { return {-x(), -y(), -z(), -w()}; }

  tf2Scalar dot(const Quaternion& q) const { return x() * q.x() + y() * q.y() + z() * q.z() + w() * q.w(); }
  tf2Scalar length2() const { return dot(*this); }
  tf2Scalar length() const { return tf2Sqrt(length2()); }
  Quaternion& normalize() { return *this /= length(); }
  Quaternion normalized() const { return *this / length(); }
  // Half of the angle between the two rotations; the whole one, the short way round.
  tf2Scalar angle(const Quaternion& q) const { return tf2Acos(dot(q) / tf2Sqrt(length2() * q.length2())); }
  tf2Scalar angleShortestPath(const Quaternion& q) const { return 2 * (dot(q) < 0 ? angle(-q) : angle(q)); }
  tf2Scalar getAngle() const { return 2 * tf2Acos(w()); }
  tf2Scalar getAngleShortestPath() const { return 2 * tf2Acos(tf2Fabs(w())); }
  Vector3 getAxis() const;
  Quaternion inverse() const { return {-x(), -y(), -z(), w()}; }  // of one of length 1
  Quaternion farthest(const Quaternion& q) const {
    return (*this - q).dot(*this - q) > (*this + q).dot(*this + q) ? q : -q;
  }
  Quaternion nearest(const Quaternion& q) const {
    return (*this - q).dot(*this - q) < (*this + q).dot(*this + q) ? q : -q;
  }
  // At an even rate along the short way: this at 0, q at 1.
  Quaternion slerp(const Quaternion& q, const tf2Scalar& t) const;
  static const Quaternion& getIdentity() {
    static const Quaternion identity(0, 0, 0, 1);
    return identity;
  }
  const tf2Scalar& getW() const { return m_floats[3]; }
};

inline Quaternion operator*(Quaternion a, const Quaternion& b) { return a *= b; }
inline Quaternion operator*(const Quaternion& q, const Vector3& v) { return q * Quaternion(v.x(), v.y(), v.z(), 0); }
inline Quaternion operator*(const Vector3& v, const Quaternion& q) { return Quaternion(v.x(), v.y(), v.z(), 0) * q; }
inline tf2Scalar dot(const Quaternion& a, const Quaternion& b) { return a.dot(b); }
inline tf2Scalar length(const Quaternion& q) { return q.length(); }
inline tf2Scalar angle(const Quaternion& a, const Quaternion& b) { return a.angle(b); }
inline tf2Scalar angleShortestPath(const Quaternion& a, const Quaternion& b) { return a.angleShortestPath(b); }
inline Quaternion inverse(const Quaternion& q) { return q.inverse(); }
inline Quaternion slerp(const Quaternion& a, const Quaternion& b, const tf2Scalar& t) { return a.slerp(b, t); }
inline Vector3 quatRotate(const Quaternion& q, const Vector3& v) {
  const Quaternion p = q * v * q.inverse();
  return {p.x(), p.y(), p.z()};
}
// The one that turns a to b, both of length 1.
Quaternion shortestArcQuat(const Vector3& a, const Vector3& b);
inline Quaternion shortestArcQuatNormalize2(Vector3& a, Vector3& b) {
  return shortestArcQuat(a.normalize(), b.normalize());
}

}  // namespace tf2
