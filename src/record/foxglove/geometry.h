// foxglove.Vector3, Quaternion, Pose and Color as fields of a message.
#pragma once

#include "convoy/geometry.h"
#include "record/foxglove/proto.h"
#include "shapes/shapes.h"

namespace convoy {

inline void put_vector(Proto& p, std::uint32_t field, const Vec3& v) {
  p.message(field, [&](Proto& m) { m.real(1, v.x), m.real(2, v.y), m.real(3, v.z); });
}
inline void put_turn(Proto& p, std::uint32_t field, const Quat& q) {
  p.message(field, [&](Proto& m) { m.real(1, q.x), m.real(2, q.y), m.real(3, q.z), m.real(4, q.w); });
}
inline void put_pose(Proto& p, std::uint32_t field, const Pose& X) {
  p.message(field, [&](Proto& m) { put_vector(m, 1, X.p), put_turn(m, 2, X.q); });
}
inline void put_color(Proto& p, std::uint32_t field, const Color& c) {
  p.message(field, [&](Proto& m) {
    for (std::uint32_t i = 0; i < 4; ++i) m.real(i + 1, c[i] / 255.0);
  });
}

}  // namespace convoy
