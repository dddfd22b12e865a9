// tf2::Matrix3x3: a rotation as a matrix of three rows. Angles in radians.
#pragma once

#include "tf2/LinearMath/Quaternion.hpp"

namespace tf2 {

class Matrix3x3 {
 public:
  Matrix3x3() = default;  // all 0
  explicit Matrix3x3(const Quaternion& q) { setRotation(q); }
  Matrix3x3(const tf2Scalar& xx, const tf2Scalar& xy, const tf2Scalar& xz, const tf2Scalar& yx, const tf2Scalar& yy,
            const tf2Scalar& yz, const tf2Scalar& zx, const tf2Scalar& zy, const tf2Scalar& zz) {
    setValue(xx, xy, xz, yx, yy, yz, zx, zy, zz);
  }

  Vector3 getColumn(int i) const { return {row_[0][i], row_[1][i], row_[2][i]}; }
  const Vector3& getRow(int i) const { return row_[i]; }
  Vector3& operator[](int i) { return row_[i]; }
  const Vector3& operator[](int i) const { return row_[i]; }
  void setValue(const tf2Scalar& xx, const tf2Scalar& xy, const tf2Scalar& xz, const tf2Scalar& yx, const tf2Scalar& yy,
                const tf2Scalar& yz, const tf2Scalar& zx, const tf2Scalar& zy, const tf2Scalar& zz) {
    row_[0].setValue(xx, xy, xz), row_[1].setValue(yx, yy, yz), row_[2].setValue(zx, zy, zz);
  }
  void setRotation(const Quaternion& q);
  void getRotation(Quaternion& q) const;
  // About the fixed axes X, Y, Z, in this order.
  void setRPY(tf2Scalar roll, tf2Scalar pitch, tf2Scalar yaw);
  void setEulerYPR(const tf2Scalar& yaw, const tf2Scalar& pitch, const tf2Scalar& roll) { setRPY(roll, pitch, yaw); }
  // There are two sets of angles: the first has its pitch in [-pi/2, pi/2]. Where pitch is at an end, yaw is 0.
  void getEulerYPR(tf2Scalar& yaw, tf2Scalar& pitch, tf2Scalar& roll, unsigned int solution = 1) const;
  void getRPY(tf2Scalar& roll, tf2Scalar& pitch, tf2Scalar& yaw, unsigned int solution = 1) const {
    getEulerYPR(yaw, pitch, roll, solution);
  }
  void setIdentity() { setValue(1, 0, 0, 0, 1, 0, 0, 0, 1); }
  static const Matrix3x3& getIdentity() {
    static const Matrix3x3 identity(1, 0, 0, 0, 1, 0, 0, 0, 1);
    return identity;
  }

  inline Matrix3x3& operator*=(const Matrix3x3& m);
  Matrix3x3 scaled(const Vector3& s) const {
    Matrix3x3 m(*this);
    for (Vector3& row : m.row_) row *= s;
    return m;
  }
  tf2Scalar determinant() const { return row_[0].triple(row_[1], row_[2]); }
  inline Matrix3x3 adjoint() const;
  Matrix3x3 absolute() const { return rows(row_[0].absolute(), row_[1].absolute(), row_[2].absolute()); }
  Matrix3x3 transpose() const { return rows(getColumn(0), getColumn(1), getColumn(2)); }
  inline Matrix3x3 inverse() const;
  inline Matrix3x3 transposeTimes(const Matrix3x3& m) const;
  inline Matrix3x3 timesTranspose(const Matrix3x3& m) const;
  tf2Scalar tdotx(const Vector3& v) const { return getColumn(0).dot(v); }
  tf2Scalar tdoty(const Vector3& v) const { return getColumn(1).dot(v); }
  tf2Scalar tdotz(const Vector3& v) const { return getColumn(2).dot(v); }
  tf2Scalar cofac(int r1, int c1, int r2, int c2) const {
    return row_[r1][c1] * row_[r2][c2] - row_[r1][c2] * row_[r2][c1];
  }
  bool operator==(const Matrix3x3& m) const {
    return row_[0] == m.row_[0] && row_[1] == m.row_[1] && row_[2] == m.row_[2];
  }

 private:
  static Matrix3x3 rows(const Vector3& a, const Vector3& b, const Vector3& c) {
    return {a.x(), a.y(), a.z(), b.x(), b.y(), b.z(), c.x(), c.y(), c.z()};
  }
  Vector3 row_[3];
};

inline Vector3 operator*(const Matrix3x3& m, const Vector3& v) { return {m[0].dot(v), m[1].dot(v), m[2].dot(v)}; }
inline Vector3 operator*(const Vector3& v, const Matrix3x3& m) { return {m.tdotx(v), m.tdoty(v), m.tdotz(v)}; }
inline Matrix3x3 operator*(const Matrix3x3& a, const Matrix3x3& b) {
  return {b.tdotx(a[0]), b.tdoty(a[0]), b.tdotz(a[0]), b.tdotx(a[1]), b.tdoty(a[1]),
          b.tdotz(a[1]), b.tdotx(a[2]), b.tdoty(a[2]), b.tdotz(a[2])};
}
inline Matrix3x3& Matrix3x3::operator*=(const Matrix3x3& m) { return *this = *this * m; }
inline Matrix3x3 Matrix3x3::adjoint() const {
  return {cofac(1, 1, 2, 2), cofac(0, 2, 2, 1), cofac(0, 1, 1, 2), cofac(1, 2, 2, 0), cofac(0, 0, 2, 2),
          cofac(0, 2, 1, 0), cofac(1, 0, 2, 1), cofac(0, 1, 2, 0), cofac(0, 0, 1, 1)};
}
inline Matrix3x3 Matrix3x3::inverse() const {
  const tf2Scalar s = 1 / determinant();
  return adjoint().scaled({s, s, s});
}
inline Matrix3x3 Matrix3x3::transposeTimes(const Matrix3x3& m) const { return transpose() * m; }
inline Matrix3x3 Matrix3x3::timesTranspose(const Matrix3x3& m) const { return *this * m.transpose(); }

}  // namespace tf2
