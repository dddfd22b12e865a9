// Convex footprints in the plane: where they are, and how wide the gap between two of them is.
#pragma once

#include <span>
#include <vector>

#include "convoy/geometry.h"
#include "world/body_boxes.h"
#include "world/model.h"
#include "world/static_map.h"

namespace convoy {

// A pose projected on the ground: position, and cosine and sine of the heading.
struct Planar {
  double x = 0, y = 0;  // m
  double c = 1, s = 0;

  Vec2 turn(Vec2 v) const { return {c * v.x - s * v.y, s * v.x + c * v.y}; }
  Vec2 turn_back(Vec2 v) const { return {c * v.x + s * v.y, c * v.y - s * v.x}; }
  Vec2 apply(Vec2 v) const { return {x + (c * v.x - s * v.y), y + (s * v.x + c * v.y)}; }
};

// The heading is the direction of the body's x axis seen from above; a body on its nose has none, and gets 0.
Planar planar(const Pose& pose);
// X_AC = X_AB * X_BC.
Planar compose(const Planar& ab, const Planar& bc);

// Largest n . corner over the footprint's corners; at least three of them.
double support(std::span<const Vec2> footprint, Vec2 n);

// The convex hull of the points, counter-clockwise, in place; fewer than three corners if it has no area.
void make_hull(std::vector<Vec2>& points);

// Where a loose body is, by its model's tail.
Pose pose_of(const BodyBox& box, std::span<const double> tail);
// The outline of its box from above, about the box's centre and along the world's axes. False: it has none, or the box is
// below `low` or above `high`, m.
bool cast_shadow(const BodyBox& box, const Pose& X_WB, double low, double high, std::vector<Vec2>& out);

struct Gap {
  Vec2 normal;       // unit, from the first footprint to the second, in the world
  double width = 0;  // m; negative: they overlap, and this is how deep along the normal
};
// The widest gap among those along the edges' normals and along the line between the two frames' origins. It is a true
// lower bound of the distance, and positive if there is any. The arguments' order decides the bits: two parties that
// want the same ones must agree on it.
Gap widest_gap(const Planar& a, std::span<const Vec2> footprint_a, const Planar& b, std::span<const Vec2> footprint_b);

// Does a robot there touch a wall or the outside of the map? On an empty map, or without a body, it does not.
bool in_wall(const StaticMap& map, const Pose& pose, const Model& model);

}  // namespace convoy
