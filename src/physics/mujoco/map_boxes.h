// Turns a static map into boxes, which MuJoCo robots collide with.
#pragma once

#include <vector>

#include "convoy/result.h"
#include "world/static_map.h"

namespace convoy::mujoco {

// An upright box, in the map's frame M.
struct MapBox {
  double x0 = 0, y0 = 0, x1 = 0, y1 = 0;  // m
  friend bool operator==(const MapBox&, const MapBox&) = default;
};

inline constexpr double kMapHeight = 2.5;  // m; solid cells reach from the ground to there
inline constexpr std::size_t kMaxMapBoxes = 20'000;

// Rectangles that together cover exactly the solid cells that a robot can come near (those within kMapShell cells of a
// free one), and a frame around the grid, in the order of rows and columns. None for an empty map.
inline constexpr int kMapShell = 2;
Result<std::vector<MapBox>> map_boxes(const StaticMap& map);

}  // namespace convoy::mujoco
