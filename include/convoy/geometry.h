// Points, rotations, poses and twists: SI, radians, right-handed, REP-103 axes, doubles.
//
// X_WB is the pose of frame B in frame W; p_WB its position, q_WB its rotation (w, x, y, z); v_WB_W and w_WB_W are the
// linear (m/s) and angular (rad/s) velocity of B relative to W, expressed in W.
#pragma once

namespace convoy {

struct Vec3 {
  double x = 0, y = 0, z = 0;
  friend bool operator==(const Vec3&, const Vec3&) = default;
  friend constexpr Vec3 operator+(Vec3 a, Vec3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
  friend constexpr Vec3 operator-(Vec3 a, Vec3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
  friend constexpr Vec3 operator-(Vec3 a) { return {-a.x, -a.y, -a.z}; }
  friend constexpr Vec3 operator*(double s, Vec3 a) { return {s * a.x, s * a.y, s * a.z}; }
  friend constexpr Vec3 operator*(Vec3 a, double s) { return s * a; }
  constexpr Vec3& operator+=(Vec3 b) { return *this = *this + b; }
  constexpr Vec3& operator-=(Vec3 b) { return *this = *this - b; }
};

constexpr double dot(Vec3 a, Vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
constexpr Vec3 cross(Vec3 a, Vec3 b) { return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }

// Unit quaternion; the rotation of B in W takes a vector's coordinates from B to W.
struct Quat {
  double w = 1, x = 0, y = 0, z = 0;
  friend bool operator==(const Quat&, const Quat&) = default;
  constexpr Quat conjugate() const { return {w, -x, -y, -z}; }
  friend constexpr Quat operator*(const Quat& a, const Quat& b) {
    return {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
            a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
  }
};

// Rotation about z by yaw, rad, and back; the same bits on every machine. In the library convoy::client.
Quat from_yaw(double yaw);
double yaw_of(const Quat& q);

constexpr Vec3 rotate(const Quat& q, Vec3 v) {
  const Vec3 u{q.x, q.y, q.z};
  const Vec3 t = 2.0 * cross(u, v);
  return v + q.w * t + cross(u, t);
}

struct Pose {
  Vec3 p;
  Quat q;
  friend bool operator==(const Pose&, const Pose&) = default;
  // X_WC = X_WB * X_BC.
  friend constexpr Pose operator*(const Pose& a, const Pose& b) { return {a.p + rotate(a.q, b.p), a.q * b.q}; }
  // p_WQ = X_WB * p_BQ: the point, as W has it.
  friend constexpr Vec3 operator*(const Pose& a, Vec3 p_BQ) { return a.p + rotate(a.q, p_BQ); }
  constexpr Pose inverse() const { return {rotate(q.conjugate(), -p), q.conjugate()}; }
};

struct Twist {
  Vec3 v;  // linear, m/s
  Vec3 w;  // angular, rad/s
  friend bool operator==(const Twist&, const Twist&) = default;
};

}  // namespace convoy
