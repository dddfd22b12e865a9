#include "physics/touch.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "physics/kinematic.h"

namespace convoy {

namespace {

// The part of an outline's corners that is farthest along n: its extent along n's tangent.
void face(const Planar& place, std::span<const Vec2> outline, Vec2 n, double& reached, double& from, double& to) {
  reached = -std::numeric_limits<double>::infinity();
  for (const Vec2& corner : outline) reached = std::max(reached, dot(place.apply(corner), n));
  from = std::numeric_limits<double>::infinity(), to = -from;
  for (const Vec2& corner : outline) {
    const Vec2 at = place.apply(corner);
    if (dot(at, n) < reached - kContactGap) continue;
    const double t = dot(at, {-n.y, n.x});
    from = std::min(from, t), to = std::max(to, t);
  }
}

// Cells of one wall are one touch.
void add(std::vector<TouchLine>& all, const TouchLine& touch, double side) {
  for (TouchLine& known : all) {
    const bool same = dot(known.normal, touch.normal) > 1 - 1e-9 && std::abs(known.at - touch.at) < kContactGap;
    if (!same || touch.from > known.to + side || touch.to < known.from - side) continue;
    known.from = std::min(known.from, touch.from), known.to = std::max(known.to, touch.to);
    known.depth = std::max(known.depth, touch.depth);
    return;
  }
  all.push_back(touch);
}

}  // namespace

bool touching(const Planar& robot, std::span<const Vec2> own, const Planar& there, std::span<const Vec2> outline,
              bool robot_first, TouchLine& out) {
  Gap gap = robot_first ? widest_gap(robot, own, there, outline) : widest_gap(there, outline, robot, own);
  if (gap.width > kContactGap) return false;
  if (!robot_first) gap.normal = {-gap.normal.x, -gap.normal.y};
  double own_from, own_to, other_from, other_to, own_reached, other_reached;
  face(robot, own, gap.normal, own_reached, own_from, own_to);
  face(there, outline, {-gap.normal.x, -gap.normal.y}, other_reached, other_from, other_to);
  // The other's tangent is the opposite one.
  const double low = -other_to, high = -other_from;
  out.normal = {-gap.normal.x, -gap.normal.y};
  out.at = (own_reached - other_reached) / 2, out.depth = -gap.width;
  const double from = std::max(own_from, low), to = std::min(own_to, high);
  out.from = std::min(from, to), out.to = std::max(from, to);  // corner by corner: between the two
  return true;
}

std::vector<TouchLine> touches_of_map(const StaticMap& map, const Planar& robot, std::span<const Vec2> own) {
  std::vector<TouchLine> out;
  if (map.empty()) return out;
  // In the map's frame, from which the normals are turned back.
  const Vec2 origin = map.to_map(robot.x, robot.y), axis = map.x_axis();
  const Planar here{origin.x, origin.y, robot.c * axis.x + robot.s * axis.y, robot.s * axis.x - robot.c * axis.y};
  double low[2] = {1e300, 1e300}, high[2] = {-1e300, -1e300};
  for (const Vec2& corner : own) {
    const Vec2 at = here.apply(corner);
    low[0] = std::min(low[0], at.x), high[0] = std::max(high[0], at.x);
    low[1] = std::min(low[1], at.y), high[1] = std::max(high[1], at.y);
  }
  const double size = map.data().resolution;
  const auto cell = [&](double value) { return static_cast<std::int64_t>(std::floor(value / size)); };
  const std::array<Vec2, 4> square{
      {{-size / 2, -size / 2}, {size / 2, -size / 2}, {size / 2, size / 2}, {-size / 2, size / 2}}};
  for (std::int64_t row = cell(low[1] - kContactGap); row <= cell(high[1] + kContactGap); ++row)
    for (std::int64_t col = cell(low[0] - kContactGap); col <= cell(high[0] + kContactGap); ++col) {
      if (!map.solid_cell(col, row)) continue;
      const Planar there{(static_cast<double>(col) + 0.5) * size, (static_cast<double>(row) + 0.5) * size, 1, 0};
      TouchLine touch;
      if (!touching(here, own, there, square, true, touch)) continue;
      // The side that it meets is free: else what is met is the next cell's.
      const auto covered = [&](double n, std::int64_t right, std::int64_t up) {
        const std::int64_t way = n > 1e-9 ? 1 : n < -1e-9 ? -1 : 0;
        return way != 0 && map.solid_cell(col + right * way, row + up * way);
      };
      // By the side that the normal leans to most: who stands nearly square to a wall touches it by a normal of his own.
      const double x = std::abs(touch.normal.x), y = std::abs(touch.normal.y);
      if ((x < y || !covered(touch.normal.x, 1, 0)) && (y < x || !covered(touch.normal.y, 0, 1))) add(out, touch, size);
    }
  return out;
}

}  // namespace convoy
