// Turns the solid cells of a static map into upright boxes: what MuJoCo robots collide with, and rays meet.
#pragma once

#include <vector>

#include "convoy/result.h"
#include "world/static_map.h"

namespace convoy {

// An upright box, in the map's frame M.
struct MapBox {
  double x0 = 0, y0 = 0, x1 = 0, y1 = 0;  // m
  friend bool operator==(const MapBox&, const MapBox&) = default;
};

inline constexpr std::size_t kMaxMapBoxes = 20'000;  // that MuJoCo robots collide with

// Rectangles that together cover exactly the marked cells, one byte each, in the order of rows and columns; no more than
// `at_most` and one.
std::vector<MapBox> merged(std::vector<char> marked, std::size_t width, double cell, std::size_t at_most);

// Marks the solid cells within kMapShell cells of a free one: those that can be come near.
inline constexpr int kMapShell = 2;
std::vector<char> shell_of(const StaticMap& map);

// The rectangles of those cells and, for robots to stay inside, a frame around the grid. None for an empty map.
Result<std::vector<MapBox>> map_boxes(const StaticMap& map);

}  // namespace convoy
