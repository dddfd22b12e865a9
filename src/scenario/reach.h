// The parts that the free ground of a map falls into for a robot of some size: from one to another there is no way.
#pragma once

#include <cstdint>
#include <vector>

#include "world/static_map.h"

namespace convoy::scenario {

// What a cell must have around it.
enum class Room : std::uint8_t {
  kSurely,   // the circle fits wherever in the cell its middle is: what is connected so can be reached
  kPerhaps,  // it may fit: what is not connected so cannot be reached
};

class Reach {
 public:
  // `radius` of the robot, m. Keeps a number a cell, and takes time in proportion to them.
  Reach(const StaticMap& map, double radius, Room room);

  // The part that holds a place (world coordinates, m); 0: none does.
  std::uint32_t part_at(double x, double y) const;
  double area_of(std::uint32_t part) const { return static_cast<double>(cells_[part]) * cell_area_; }  // m^2
  double area() const;                                                                                 // of all parts

 private:
  void fill(std::uint32_t first, std::uint32_t part);

  const StaticMap& map_;
  double cell_area_;
  std::vector<std::uint32_t> parts_;   // by cell; 0: no room
  std::vector<std::uint64_t> cells_;   // by part
  std::vector<std::uint32_t> border_;  // cells whose neighbours are yet to be looked at
};

}  // namespace convoy::scenario
