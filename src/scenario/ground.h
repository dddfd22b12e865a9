// The ground of a scenario: a map file or a plain rectangle, with the shapes painted onto it.
#pragma once

#include <string>
#include <vector>

#include "convoy/result.h"
#include "scenario/sections.h"

namespace convoy::scenario {

// Where a map's name is searched.
struct MapSearch {
  std::string scenario;               // the scenario's own file, which is never its map
  std::string base_dir;               // first; where that file lies
  std::vector<std::string> map_path;  // then these directories
};

// Fills setup.map from the draft's world and paints setup's shapes; the walls of a plain ground join setup.boxes.
Status make_ground(Draft& draft, const MapSearch& search, std::vector<std::string>& warnings);

// A rectangle of free cells around the world's origin, walls of occupied cells around it.
Result<MapData> plain_ground(const Ground& ground);
// The same walls as boxes: south, north, west, east.
std::vector<BoxShape> walls_of(const Ground& ground);

}  // namespace convoy::scenario
