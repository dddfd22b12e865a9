// The world's map as nav_msgs/OccupancyGrid.
#pragma once

#include <nav_msgs/msg/occupancy_grid.hpp>
#include <string>

#include "convoy/time.h"
#include "world/static_map.h"

namespace convoy::ros {

inline constexpr const char* kMapFrame = "map";  // REP-105; where the world's own frame is, unless somebody localises

// Row by row from the lower left corner, as in the world: 0 free, 100 occupied, -1 unknown. The origin is that corner's pose
// in the map's frame, rotated where the map is; `stamp`: of the message and of the map's making. A world without a map
// gives a grid of no cells: of an MJCF world map_of_scene() makes one (shapes/slice.h).
nav_msgs::msg::OccupancyGrid occupancy_grid_of(const MapData& map, Instant stamp, const std::string& frame = kMapFrame);

}  // namespace convoy::ros
