#include "world/state.h"

#include <cmath>

#include "core/math.h"

namespace convoy {

bool make_canonical(State& state) {
  bool finite = true;
  for (double* number : {&state.pose.p.x, &state.pose.p.y, &state.pose.p.z, &state.pose.q.w, &state.pose.q.x,
                         &state.pose.q.y, &state.pose.q.z, &state.twist.v.x, &state.twist.v.y, &state.twist.v.z,
                         &state.twist.w.x, &state.twist.w.y, &state.twist.w.z}) {
    *number = canonical(*number);
    finite = finite && std::isfinite(*number);
  }
  return finite;
}

Quat from_yaw(double yaw) {
  Quat q;
  math::sincos(yaw / 2, q.z, q.w);
  return q;
}

double yaw_of(const Quat& q) {
  return math::atan2(2 * (q.w * q.z + q.x * q.y), 1 - 2 * (q.y * q.y + q.z * q.z));
}

}  // namespace convoy
