// tf2::Vector3: three numbers, and a fourth that is never read.
#pragma once

#include <algorithm>

#include "tf2/LinearMath/Scalar.hpp"

namespace tf2 {

class Vector3 {
 public:
  tf2Scalar m_floats[4] = {0, 0, 0, 0};

  Vector3() = default;
  Vector3(const tf2Scalar& x, const tf2Scalar& y, const tf2Scalar& z) : m_floats{x, y, z, 0} {}

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
  void setValue(const tf2Scalar& x, const tf2Scalar& y, const tf2Scalar& z) { *this = Vector3(x, y, z); }
  void setZero() { setValue(0, 0, 0); }

  bool operator==(const Vector3& v) const { return x() == v.x() && y() == v.y() && z() == v.z() && w() == v.w(); }
  bool operator!=(const Vector3& v) const { return !(*this == v); }
  Vector3& operator+=(const Vector3& v) {
    return each([&](int i) { m_floats[i] += v.m_floats[i]; });
  }
  Vector3& operator-=(const Vector3& v) {
    return each([&](int i) { m_floats[i] -= v.m_floats[i]; });
  }
  Vector3& operator*=(const Vector3& v) {
    return each([&](int i) { m_floats[i] *= v.m_floats[i]; });
  }
  Vector3& operator*=(const tf2Scalar& s) {
    return each([&](int i) { m_floats[i] *= s; });
  }
  Vector3& operator/=(const tf2Scalar& s) { return *this *= 1 / s; }

  tf2Scalar dot(const Vector3& v) const { return x() * v.x() + y() * v.y() + z() * v.z(); }
  tf2Scalar length2() const { return dot(*this); }
  tf2Scalar length() const { return tf2Sqrt(length2()); }
  inline tf2Scalar distance2(const Vector3& v) const;
  tf2Scalar distance(const Vector3& v) const { return tf2Sqrt(distance2(v)); }
  Vector3& normalize() { return *this /= length(); }
  Vector3 normalized() const { return Vector3(*this).normalize(); }
  tf2Scalar angle(const Vector3& v) const { return tf2Acos(dot(v) / tf2Sqrt(length2() * v.length2())); }
  Vector3 absolute() const { return {tf2Fabs(x()), tf2Fabs(y()), tf2Fabs(z())}; }
  Vector3 cross(const Vector3& v) const {
    return {y() * v.z() - z() * v.y(), z() * v.x() - x() * v.z(), x() * v.y() - y() * v.x()};
  }
  tf2Scalar triple(const Vector3& a, const Vector3& b) const { return dot(a.cross(b)); }
  // By the right hand, about an axis of length 1.
  inline Vector3 rotate(const Vector3& axis, const tf2Scalar& angle) const;
  int minAxis() const { return x() < y() ? (x() < z() ? 0 : 2) : (y() < z() ? 1 : 2); }
  int maxAxis() const { return x() < y() ? (y() < z() ? 2 : 1) : (x() < z() ? 2 : 0); }
  int furthestAxis() const { return absolute().minAxis(); }
  int closestAxis() const { return absolute().maxAxis(); }
  void setInterpolate3(const Vector3& a, const Vector3& b, tf2Scalar t) {
    each([&](int i) { m_floats[i] = (1 - t) * a.m_floats[i] + t * b.m_floats[i]; });
  }
  Vector3 lerp(const Vector3& v, const tf2Scalar& t) const {
    return {x() + (v.x() - x()) * t, y() + (v.y() - y()) * t, z() + (v.z() - z()) * t};
  }
  void setMax(const Vector3& v) {
    each([&](int i) { m_floats[i] = std::max(m_floats[i], v.m_floats[i]); });
  }
  void setMin(const Vector3& v) {
    each([&](int i) { m_floats[i] = std::min(m_floats[i], v.m_floats[i]); });
  }
  bool isZero() const { return x() == 0 && y() == 0 && z() == 0; }
  bool fuzzyZero() const { return length2() < TF2SIMD_EPSILON; }

 private:
  template <class F>
  Vector3& each(F f) {
    for (int i = 0; i < 3; ++i) f(i);
    return *this;
  }
};

inline Vector3 operator+(Vector3 a, const Vector3& b) { return a += b; }
inline Vector3 operator-(Vector3 a, const Vector3& b) { return a -= b; }
inline Vector3 operator*(Vector3 a, const Vector3& b) { return a *= b; }
inline Vector3 operator-(const Vector3& v) { return {-v.x(), -v.y(), -v.z()}; }
inline Vector3 operator*(Vector3 v, const tf2Scalar& s) { return v *= s; }
inline Vector3 operator*(const tf2Scalar& s, Vector3 v) { return v *= s; }
inline Vector3 operator/(Vector3 v, const tf2Scalar& s) { return v /= s; }
inline Vector3 operator/(const Vector3& a, const Vector3& b) { return {a.x() / b.x(), a.y() / b.y(), a.z() / b.z()}; }
inline tf2Scalar tf2Dot(const Vector3& a, const Vector3& b) { return a.dot(b); }
inline tf2Scalar tf2Distance2(const Vector3& a, const Vector3& b) { return a.distance2(b); }
inline tf2Scalar tf2Distance(const Vector3& a, const Vector3& b) { return a.distance(b); }
inline tf2Scalar tf2Angle(const Vector3& a, const Vector3& b) { return a.angle(b); }
inline Vector3 tf2Cross(const Vector3& a, const Vector3& b) { return a.cross(b); }
inline tf2Scalar tf2Triple(const Vector3& a, const Vector3& b, const Vector3& c) { return a.triple(b, c); }
inline Vector3 lerp(const Vector3& a, const Vector3& b, const tf2Scalar& t) { return a.lerp(b, t); }
inline tf2Scalar Vector3::distance2(const Vector3& v) const { return (v - *this).length2(); }
inline Vector3 Vector3::rotate(const Vector3& axis, const tf2Scalar& angle) const {
  const Vector3 along = axis * axis.dot(*this);
  return along + (*this - along) * tf2Cos(angle) + axis.cross(*this) * tf2Sin(angle);
}

}  // namespace tf2
