// Neighbour search: a uniform grid over the entities of one snapshot, rebuilt by counting sort each tick.
//
// The plane is rolled up to a torus of few buckets, so entities may be anywhere, and what is far away costs no memory.
// Queries are exact: the cells only narrow the search, the decision is taken on the doubles of the snapshot, inclusive
// at the radius, and the answer is in world-number order. So the cell size and the machine never show in a result.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "world/snapshot.h"

namespace convoy {

inline constexpr double kWideCells = 50;

class Grid {
 public:
  // Sorts the snapshot's entities by cell of the given size, m. `radii` are the bounding radii by slot, m (below 0: it
  // has no body, and is in no answer). The largest of them widens every query, but for those of kWideCells cells and
  // more, which every query checks.
  void rebuild(const Snapshot& snapshot, std::span<const double> radii, double cell);

  // Appends to `out`, for the snapshot of the last rebuild(), the slots whose bounding circle comes within `radius` of
  // (x, y), ascending, but `self`.
  void query(const Snapshot& snapshot, double x, double y, double radius, Slot self, std::vector<Slot>& out) const;

  // Calls visit(slot) for the same ones and perhaps `self`, in no order that means anything.
  template <class Visit>
  void each(double x, double y, double radius, const Visit& visit) const {
    each_near(x, y, radius, [&](const Item& item, double) { visit(item.slot); });
  }

  // A neighbour list with a skin, as in molecular dynamics: an entity with a gap() to all others needs no new query for
  // a while. As long as generation() is the same, no entity has moved farther than drift() has grown since; so none
  // can have closed a gap before drift() has grown by half of it.
  std::uint64_t generation() const {
    return generation_;
  }                                        // 1 and up; another one when the snapshot has other entities
  double drift() const { return drift_; }  // m
  // How far the bounding circles of all but `self` stay outside of `radius` about (x, y), m; at most `most`, at least
  // 0.
  double gap(double x, double y, double radius, double most, Slot self) const;

 private:
  struct Item {
    double x, y, radius;  // copies of the snapshot's: a query reads them in a row
    Slot slot;
  };
  struct Range {
    std::size_t first, count;  // buckets, going round
  };
  static Range buckets(double low, double high, std::size_t size);

  template <class Visit>
  void each_near(double x, double y, double radius, const Visit& visit) const;
  void count_drift(const Snapshot& snapshot);

  double inverse_cell_ = 1;
  double max_radius_ = 0;
  std::size_t cols_ = 1, rows_ = 1;         // powers of two
  std::vector<std::uint32_t> begin_{0, 0};  // cols * rows + 1; index into items_
  std::vector<Item> items_;                 // by bucket, slots ascending in each
  std::vector<Item> wide_;                  // so large that they would widen every query; in no bucket
  struct Place {
    double x, y;
    std::uint32_t bucket;
  };
  std::vector<Place> places_;         // by slot
  std::vector<WorldNumber> numbers_;  // whose they are
  std::uint64_t generation_ = 0;
  double drift_ = 0;
};

// Calls visit(item, d2) for the items whose bounding circle comes within `radius` of (x, y), at the squared distance
// d2.
template <class Visit>
void Grid::each_near(double x, double y, double radius, const Visit& visit) const {
  // A hair wider than the exact decision, so that its rounding never falls between two cells.
  const double reach = (radius + max_radius_) * (1 + 1e-12) + 1e-9 + 1e-15 * (std::abs(x) + std::abs(y));
  const Range cols = buckets((x - reach) * inverse_cell_, (x + reach) * inverse_cell_, cols_);
  const Range rows = buckets((y - reach) * inverse_cell_, (y + reach) * inverse_cell_, rows_);
  const auto visit_item = [&](const Item& item) {
    const double dx = item.x - x, dy = item.y - y, r = radius + item.radius;
    if (const double d2 = dx * dx + dy * dy; d2 <= r * r) visit(item, d2);
  };
  const auto scan = [&](std::size_t first_bucket, std::size_t end_bucket) {
    const std::size_t last = begin_[end_bucket];
    for (std::size_t i = begin_[first_bucket]; i < last; ++i) visit_item(items_[i]);
  };
  for (const Item& item : wide_) visit_item(item);
  for (std::size_t k = 0; k < rows.count; ++k) {
    const std::size_t row = ((rows.first + k) & (rows_ - 1)) * cols_;
    const std::size_t end = cols.first + cols.count;
    scan(row + cols.first, row + std::min(end, cols_));
    if (end > cols_) scan(row, row + end - cols_);
  }
}

}  // namespace convoy
