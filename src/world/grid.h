// Who is near: a uniform grid over the entities of one snapshot, rebuilt by counting sort each tick.
//
// Queries are exact: the cells only narrow the search, the decision is taken on the doubles of the snapshot, inclusive
// at the radius, and the answer is in world-number order. So the cell size and the machine never show in a result.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "world/snapshot.h"

namespace convoy {

class Grid {
 public:
  // Sorts the snapshot's entities by cell of the given size, m. `radii` are the bounding radii by slot, m.
  void rebuild(const Snapshot& snapshot, std::span<const double> radii, double cell);

  // Appends to `out` the slots whose bounding circle comes within `radius` of (x, y), ascending, but `self`.
  void query(const Snapshot& snapshot, double x, double y, double radius, Slot self, std::vector<Slot>& out) const;

 private:
  struct Item {
    Slot slot;
    float x, y;
  };
  double cell_ = 1, inverse_cell_ = 1;
  double min_x_ = 0, min_y_ = 0;
  std::int64_t cols_ = 0, rows_ = 0;
  double max_radius_ = 0;
  std::vector<double> radii_;
  std::vector<std::uint32_t> begin_;  // cols * rows + 1
  std::vector<Item> items_;
};

}  // namespace convoy
