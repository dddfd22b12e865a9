#include "world/dead_reckoning.h"

#include <algorithm>
#include <cmath>

#include "core/math.h"

namespace convoy {

namespace {

constexpr double kLeastTurn = 1e-6;  // rad; below it the arc is a straight line

Quat product(const Quat& a, const Quat& b) {
  return {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
          a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

}  // namespace

State dead_reckoned(const State& known, Instant now, const StaticMap& map, double radius) {
  State s = known;
  s.stamp = now;
  const double dt = seconds(std::clamp(now - known.stamp, Duration{0}, kMostReckoned));
  const Vec3 &v = known.twist.v, &w = known.twist.w;
  if (dt == 0 || (v.x == 0 && v.y == 0 && v.z == 0 && w.x == 0 && w.y == 0 && w.z == 0)) return s;

  // The velocity turns with the body about the world's z axis; the chord of that arc.
  const double angle = w.z * dt;
  double sine, cosine;
  math::sincos(angle, sine, cosine);
  double dx = v.x * dt, dy = v.y * dt;
  if (std::abs(angle) > kLeastTurn) {
    const double along = sine / w.z, aside = (1 - cosine) / w.z;
    dx = v.x * along - v.y * aside;
    dy = v.x * aside + v.y * along;
  }
  double part = 1;
  if (const double length = std::sqrt(dx * dx + dy * dy); length > 0 && !map.empty()) {
    const double ux = dx / length, uy = dy / length;
    // Compared before the radius is taken off: rounding would make walls of a clear way.
    const double seen = map.ray(s.pose.p.x, s.pose.p.y, ux, uy, length + radius);
    if (seen < length + radius) part = std::clamp((seen - radius) / length, 0.0, 1.0);
  }
  s.pose.p.x += dx * part, s.pose.p.y += dy * part, s.pose.p.z += v.z * dt;

  const double rate = std::sqrt(w.x * w.x + w.y * w.y + w.z * w.z);
  if (rate > 0) {
    double half_sine, half_cosine;
    math::sincos(0.5 * rate * dt, half_sine, half_cosine);
    const double k = half_sine / rate;
    const Quat q = product({half_cosine, w.x * k, w.y * k, w.z * k}, s.pose.q);
    const double norm = std::sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    s.pose.q = {q.w / norm, q.x / norm, q.y / norm, q.z / norm};
  }
  s.twist.v.x = part < 1 ? 0 : v.x * cosine - v.y * sine;
  s.twist.v.y = part < 1 ? 0 : v.x * sine + v.y * cosine;
  make_canonical(s);
  return s;
}

}  // namespace convoy
