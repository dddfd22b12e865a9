// Where the robots of a scenario are at its start: given poses and grids first, then free places at random.
#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "convoy/result.h"
#include "scenario/sections.h"
#include "world/static_map.h"

namespace convoy::scenario {

inline constexpr int kRandomTries = 1000;                // of one robot, before places are tried one after the other
inline constexpr std::uint64_t kMaxScanned = 1'000'000;  // places of that systematic search

// Occupied circles; answers "is this place free?" in about constant time.
class Circles {
 public:
  // `largest`: no radius will be above it, m.
  explicit Circles(double largest) : cell_(largest > 0.05 ? 2 * largest : 0.1) {}
  void add(double x, double y, double radius) { cells_[key(x, y)].push_back({x, y, radius}); }
  // Does the circle overlap none? Touching is no overlap.
  bool clear(double x, double y, double radius) const;

 private:
  struct Circle {
    double x, y, radius;
  };
  using Key = std::pair<std::int64_t, std::int64_t>;
  Key key(double x, double y) const;
  static bool overlaps(const std::vector<Circle>& circles, double x, double y, double radius);
  double cell_;
  std::map<Key, std::vector<Circle>> cells_;
};

// Gives every entity of setup.entities its pose; the errors name those that found no place. `groups` made them: group i
// the next `sizes[i]` of them.
std::vector<Error> place(const std::vector<Group>& groups, const std::vector<std::size_t>& sizes, const StaticMap& map,
                         Setup& setup);

}  // namespace convoy::scenario
