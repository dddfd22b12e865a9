// Who is near: a uniform grid over the entities of one snapshot, rebuilt by counting sort each tick.
//
// The plane is rolled up to a torus of few buckets, so entities may be anywhere, and what is far away costs no memory.
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
  // Sorts the snapshot's entities by cell of the given size, m. `radii` are the bounding radii by slot, m. The largest
  // of them widens every query.
  void rebuild(const Snapshot& snapshot, std::span<const double> radii, double cell);

  // Appends to `out`, for the snapshot of the last rebuild(), the slots whose bounding circle comes within `radius` of (x, y), ascending, but `self`.
  void query(const Snapshot& snapshot, double x, double y, double radius, Slot self, std::vector<Slot>& out) const;

 private:
  struct Item {
    double x, y, radius;  // copies of the snapshot's: a query reads them in a row
    Slot slot;
  };
  struct Range {
    std::size_t first, count;  // buckets, going round
  };
  static Range buckets(double low, double high, std::size_t size);

  double inverse_cell_ = 1;
  double max_radius_ = 0;
  std::size_t cols_ = 1, rows_ = 1;         // powers of two
  std::vector<std::uint32_t> begin_{0, 0};  // cols * rows + 1; index into items_
  std::vector<Item> items_;                 // by bucket, slots ascending in each
  struct Place {
    double x, y;
    std::uint32_t bucket;
  };
  std::vector<Place> places_;  // by slot; scratch of rebuild()
};

}  // namespace convoy
