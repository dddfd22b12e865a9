#include "sensing/sweep.h"

#include "core/pose.h"

namespace convoy {

Pose moved_back(const Pose& X_WS, const Twist& v_WS_W, double ago) {
  const double rate = norm(v_WS_W.w);
  const Pose moved{X_WS.p - ago * v_WS_W.v, X_WS.q};
  if (!(rate > 0)) return moved;
  return {moved.p, from_axis_angle((1 / rate) * v_WS_W.w, -ago * rate) * X_WS.q};
}

std::vector<Beam> swept(std::span<const Vec3> directions, std::size_t columns, Duration sweep, const Pose& X_WS,
                        const Twist& v_WS_W, double near, double far) {
  std::vector<Beam> out;
  out.reserve(directions.size());
  const std::size_t rings = directions.size() / columns;
  for (std::size_t column = 0; column < columns; ++column) {
    const double ago = seconds(sweep) * static_cast<double>(columns - column) / static_cast<double>(columns);
    const Pose then = moved_back(X_WS, v_WS_W, ago);
    for (const Vec3& direction : directions.subspan(column * rings, rings))
      out.push_back({then.p, rotate(then.q, direction), near, far});
  }
  return out;
}

}  // namespace convoy
