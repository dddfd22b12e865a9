// What robots will not do although the scenario says so: found at its start, before anything moves, and only warned of.
#pragma once

#include <string>
#include <vector>

#include "scenario/sections.h"
#include "world/static_map.h"

namespace convoy::scenario {

inline constexpr std::size_t kMaxNamed = 3;                   // robots or places that one warning names
inline constexpr std::size_t kMaxGroupsWarned = 10;           // of one kind of trouble; others are counted
inline constexpr std::size_t kMaxSizesSearched = 8;           // of robots, for which it is searched where they can go
inline constexpr std::size_t kMaxSearchedCells = 16'000'000;  // of a map, for the same

// A scenario whose robots have their places. `groups` made them: group i the next `sizes[i]` of setup.entities.
struct Start {
  const std::vector<Group>& groups;
  const std::vector<std::size_t>& sizes;
  const StaticMap& map;
  const Setup& setup;
};

// Would a twist move it?
bool moves_itself(const Model& model);

// A warning for each group and kind of trouble: drivers that move nothing; robots in walls, in each other, or where
// there is no way to most of the map; waypoints in walls, or to which there is no way.
std::vector<std::string> doubts_of(const Start& start);

}  // namespace convoy::scenario
