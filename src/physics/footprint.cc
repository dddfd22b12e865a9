#include "physics/footprint.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/check.h"

namespace convoy {
namespace {

constexpr double kLeastEdge = 1e-18;  // m^2; shorter edges have no direction

using Corners = std::array<Vec2, kMaxFootprintCorners>;

double highest(const Corners& corners, std::size_t count, Vec2 n) {
  double most = dot(corners[0], n);
  for (std::size_t i = 1; i < count; ++i) {
    const double d = dot(corners[i], n);
    most = d > most ? d : most;
  }
  return most;
}
double lowest(const Corners& corners, std::size_t count, Vec2 n) { return -highest(corners, count, {-n.x, -n.y}); }

// The outward unit normal of edge i; false if the edge has no length.
bool edge_normal(const Corners& corners, std::size_t count, std::size_t i, Vec2& n) {
  const Vec2 a = corners[i], b = corners[i + 1 < count ? i + 1 : 0];
  const double ex = b.x - a.x, ey = b.y - a.y, squared = ex * ex + ey * ey;
  if (!(squared > kLeastEdge)) return false;
  const double inverse = 1 / std::sqrt(squared);
  n = {ey * inverse, -ex * inverse};
  return true;
}

}  // namespace

Planar planar(const Pose& pose) {
  const Quat& q = pose.q;
  Planar p{pose.p.x, pose.p.y, q.w * q.w - q.z * q.z, 2 * (q.w * q.z)};
  if (q.x != 0 || q.y != 0) {
    p.c = q.w * q.w + q.x * q.x - q.y * q.y - q.z * q.z;
    p.s = 2 * (q.x * q.y + q.w * q.z);
  }
  const double squared = p.c * p.c + p.s * p.s;
  if (std::abs(squared - 1) < 1e-12) return p;  // upright and of unit length, as nearly always
  if (!(squared > 1e-12)) return {p.x, p.y, 1, 0};
  const double inverse = 1 / std::sqrt(squared);
  p.c *= inverse, p.s *= inverse;
  return p;
}

Planar compose(const Planar& ab, const Planar& bc) {
  const Vec2 p = ab.apply({bc.x, bc.y});
  return {p.x, p.y, ab.c * bc.c - ab.s * bc.s, ab.s * bc.c + ab.c * bc.s};
}

double support(std::span<const Vec2> footprint, Vec2 n) {
  double most = dot(footprint[0], n);
  for (std::size_t i = 1; i < footprint.size(); ++i) {
    const double d = dot(footprint[i], n);
    most = d > most ? d : most;
  }
  return most;
}

void make_hull(std::vector<Vec2>& points) {
  const auto turns_left = [](Vec2 a, Vec2 b, Vec2 c) {
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x) > 0;
  };
  std::sort(points.begin(), points.end(), [](Vec2 a, Vec2 b) { return a.x != b.x ? a.x < b.x : a.y < b.y; });
  points.erase(std::unique(points.begin(), points.end()), points.end());
  std::vector<Vec2> hull;
  for (int side = 0; side < 2; ++side) {  // below from left to right, then above and back
    const std::size_t first = hull.size();
    for (const Vec2& p : points) {
      while (hull.size() >= first + 2 && !turns_left(hull[hull.size() - 2], hull.back(), p)) hull.pop_back();
      hull.push_back(p);
    }
    if (!hull.empty()) hull.pop_back();
    std::reverse(points.begin(), points.end());
  }
  points = std::move(hull);
}

Pose pose_of(const BodyBox& box, std::span<const double> tail) {
  const double* q = tail.data() + box.joint;
  return {{q[0], q[1], q[2]}, {q[3], q[4], q[5], q[6]}};
}

bool cast_shadow(const BodyBox& box, const Pose& X_WB, double low, double high, std::vector<Vec2>& out) {
  const double centre = X_WB.p.z + rotate(X_WB.q, box.centre).z;
  double lowest = std::numeric_limits<double>::infinity(), highest = -lowest;
  out.clear();
  for (int corner = 0; corner < 8; ++corner) {
    const auto half = [&](int axis, double h) { return (corner >> axis & 1) ? h : -h; };
    const Vec3 at = rotate(X_WB.q, {half(0, box.half.x), half(1, box.half.y), half(2, box.half.z)});
    out.push_back({at.x, at.y});
    lowest = std::min(lowest, centre + at.z), highest = std::max(highest, centre + at.z);
  }
  if (lowest > high || highest < low) return false;
  make_hull(out);
  return out.size() >= 3;
}

Gap widest_gap(const Planar& a, std::span<const Vec2> footprint_a, const Planar& b, std::span<const Vec2> footprint_b) {
  const std::size_t na = footprint_a.size(), nb = footprint_b.size();
  EXPECTS(na >= 3 && nb >= 3 && na <= kMaxFootprintCorners && nb <= kMaxFootprintCorners);
  // Seen from a's origin, so that nothing is lost far from the world's.
  const Planar at_a{0, 0, a.c, a.s}, at_b{b.x - a.x, b.y - a.y, b.c, b.s};
  Corners ca, cb;
  for (std::size_t i = 0; i < na; ++i) ca[i] = at_a.apply(footprint_a[i]);
  for (std::size_t i = 0; i < nb; ++i) cb[i] = at_b.apply(footprint_b[i]);

  Gap best{{1, 0}, lowest(cb, nb, {1, 0}) - highest(ca, na, {1, 0})};
  Vec2 n;
  const auto consider = [&](Vec2 normal) {
    const double width = lowest(cb, nb, normal) - highest(ca, na, normal);
    if (width > best.width) best = {normal, width};
  };
  for (std::size_t i = 0; i < na; ++i)
    if (edge_normal(ca, na, i, n)) consider(n);
  for (std::size_t i = 0; i < nb; ++i)
    if (edge_normal(cb, nb, i, n)) consider({-n.x, -n.y});
  const double squared = at_b.x * at_b.x + at_b.y * at_b.y;
  if (squared > kLeastEdge) {
    const double inverse = 1 / std::sqrt(squared);
    consider({at_b.x * inverse, at_b.y * inverse});
  }
  return best;
}

bool in_wall(const StaticMap& map, const Pose& pose, const Model& model) {
  const Planar at = planar(pose);
  std::vector<Vec2> corners;
  for (const Vec2& corner : model.footprint) {
    const Vec2 world = at.apply(corner);
    corners.push_back(map.to_map(world.x, world.y));
  }
  return map.touches(corners.data(), corners.size());
}

}  // namespace convoy
