// Where convex outlines in the plane touch: lines between their faces, and those with the cells of a map.
#pragma once

#include <span>
#include <vector>

#include "physics/footprint.h"

namespace convoy {

// A line on which two outlines touch: across `normal`, from one end to the other along the tangent.
struct TouchLine {
  Vec2 normal;              // to the robot
  double at = 0;            // of the line, against the normal
  double from = 0, to = 0;  // along the tangent (normal.y, -normal.x)
  double depth = 0;         // m

  // Of the line, at `t` along the tangent.
  Vec2 point(double t) const { return {-normal.x * at + normal.y * t, -normal.y * at - normal.x * t}; }
};

// False: they are farther apart than kContactGap. `robot_first`: as in widest_gap(), so that both parties get the same bits.
bool touching(const Planar& robot, std::span<const Vec2> own, const Planar& there, std::span<const Vec2> outline,
              bool robot_first, TouchLine& out);

// With the solid cells of the map, in the map's frame; cells of one wall are one touch.
std::vector<TouchLine> touches_of_map(const StaticMap& map, const Planar& robot, std::span<const Vec2> own);

}  // namespace convoy
