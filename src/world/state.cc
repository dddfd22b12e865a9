#include "world/state.h"

#include "core/math.h"

namespace convoy {

// One number after the other: they have just been written one by one, and a wide load of two such stores waits until
// both have left the processor's store buffer (measured: three times as long). So no vectors here.
bool make_canonical(State& state) {
  double sum = 0;  // 0 or, if one is not finite, NaN
  const auto clean = [&sum](double& number) { number = canonical(number), sum += number * 0; };
  Pose& pose = state.pose;
  Twist& twist = state.twist;
  clean(pose.p.x), clean(pose.p.y), clean(pose.p.z);
  clean(pose.q.w), clean(pose.q.x), clean(pose.q.y), clean(pose.q.z);
  clean(twist.v.x), clean(twist.v.y), clean(twist.v.z);
  clean(twist.w.x), clean(twist.w.y), clean(twist.w.z);
  return sum == 0;
}

Quat from_yaw(double yaw) {
  Quat q;
  math::sincos(yaw / 2, q.z, q.w);
  return q;
}

double yaw_of(const Quat& q) { return math::atan2(2 * (q.w * q.z + q.x * q.y), 1 - 2 * (q.y * q.y + q.z * q.z)); }

}  // namespace convoy
