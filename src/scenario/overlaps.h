// Finds which footprints overlap, by grids of cells about as large as they are.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "physics/footprint.h"

namespace convoy::scenario {

// Pairs that are compared at most, of those whose circles are near: then nobody is found any more.
inline constexpr std::uint64_t kMaxCompared = 20'000'000;

class Overlaps {
 public:
  // One more footprint, which must stay where it is; `met` hears the number of each earlier one that it overlaps, of
  // which the first has 0, in ascending order. Touching is no overlap.
  void add(const Pose& pose, const Model& model, const std::function<void(std::size_t)>& met);

 private:
  struct Body {
    Planar at;
    const Model* model;
    double radius;  // of the circle around its frame's origin that holds it
  };
  using Key = std::pair<std::int64_t, std::int64_t>;
  // Bodies of radii of at most half a cell, and more than a quarter.
  struct Grid {
    double cell;
    std::map<Key, std::vector<std::uint32_t>> cells;
    Key key(double x, double y) const;
  };
  void near(const Grid& grid, const Body& body, std::vector<std::uint32_t>& found);
  void compare(const std::vector<std::uint32_t>& others, const Body& body, std::vector<std::uint32_t>& found);

  std::vector<Body> bodies_;
  std::map<int, Grid> grids_;  // by the binary exponent of the radii
  std::uint64_t compared_ = 0;
};

}  // namespace convoy::scenario
