// tf2::Transform: a rotation and then a translation. X_AB takes a point from frame B to frame A.
#pragma once

#include "tf2/LinearMath/Matrix3x3.hpp"

namespace tf2 {

class Transform {
 public:
  Transform() = default;  // a basis of 0: no transform yet
  explicit Transform(const Quaternion& q, const Vector3& origin = Vector3(0, 0, 0)) : basis_(q), origin_(origin) {}
  explicit Transform(const Matrix3x3& basis, const Vector3& origin = Vector3(0, 0, 0))
      : basis_(basis), origin_(origin) {}

  void mult(const Transform& a, const Transform& b) { *this = a * b; }
  Vector3 operator()(const Vector3& v) const { return basis_ * v + origin_; }
  Vector3 operator*(const Vector3& v) const { return (*this)(v); }
  Quaternion operator*(const Quaternion& q) const { return getRotation() * q; }
  Transform operator*(const Transform& t) const { return Transform(basis_ * t.basis_, (*this)(t.origin_)); }
  Transform& operator*=(const Transform& t) { return *this = *this * t; }

  Matrix3x3& getBasis() { return basis_; }
  const Matrix3x3& getBasis() const { return basis_; }
  Vector3& getOrigin() { return origin_; }
  const Vector3& getOrigin() const { return origin_; }
  Quaternion getRotation() const {
    Quaternion q;
    basis_.getRotation(q);
    return q;
  }
  void setOrigin(const Vector3& origin) { origin_ = origin; }
  void setBasis(const Matrix3x3& basis) { basis_ = basis; }
  void setRotation(const Quaternion& q) { basis_.setRotation(q); }
  void setIdentity() { basis_.setIdentity(), origin_.setZero(); }
  Vector3 invXform(const Vector3& v) const { return basis_.transpose() * (v - origin_); }
  Transform inverse() const {
    const Matrix3x3 back = basis_.transpose();
    return Transform(back, back * -origin_);
  }
  Transform inverseTimes(const Transform& t) const {
    return Transform(basis_.transposeTimes(t.basis_), invXform(t.origin_));
  }
  static const Transform& getIdentity() {
    static const Transform identity(Matrix3x3::getIdentity());
    return identity;
  }
  friend bool operator==(const Transform& a, const Transform& b) {
    return a.basis_ == b.basis_ && a.origin_ == b.origin_;
  }

 private:
  Matrix3x3 basis_;
  Vector3 origin_;
};

}  // namespace tf2
