// Poses and twists as MuJoCo's rows of numbers: position and quaternion (w, x, y, z), both ways.
#pragma once

#include <cmath>

#include "core/pose.h"

namespace convoy::mujoco {

inline Vec3 vec(const double* v) { return {v[0], v[1], v[2]}; }
inline Quat quat(const double* q) { return {q[0], q[1], q[2], q[3]}; }
inline Pose pose_at(const double* qpos) { return {vec(qpos), quat(qpos + 3)}; }
inline void put(double* to, const Vec3& v) { to[0] = v.x, to[1] = v.y, to[2] = v.z; }
inline void put(double* to, const Quat& q) { to[0] = q.w, to[1] = q.x, to[2] = q.y, to[3] = q.z; }
inline void put(double* qpos, const Pose& X) { put(qpos, X.p), put(qpos + 3, X.q); }
// The rotation about z by an angle with that cosine and sine.
inline Quat about_z(double cosine, double sine) {
  const double w = std::sqrt(std::fmax(0, (1 + cosine) / 2)), z = std::sqrt(std::fmax(0, (1 - cosine) / 2));
  return {w, 0, 0, sine < 0 ? -z : z};
}

}  // namespace convoy::mujoco
