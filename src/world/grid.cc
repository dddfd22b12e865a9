#include "world/grid.h"

#include <algorithm>
#include <cmath>

#include "core/check.h"

namespace convoy {
namespace {

constexpr std::size_t kMinBuckets = 64;
constexpr double kFarthestCell = 1e15;  // cells beyond this one fall together with it

double cell_of(double scaled) { return std::floor(std::min(std::max(scaled, -kFarthestCell), kFarthestCell)); }

std::size_t bucket_of(double cell, std::size_t size) {
  return static_cast<std::size_t>(static_cast<std::int64_t>(cell)) & (size - 1);
}

// Least power of two that is not below the number of cells, nor above `most`.
std::size_t side_for(double cells, std::size_t most) {
  std::size_t side = 1;
  while (side < most && static_cast<double>(side) < cells) side *= 2;
  return side;
}

}  // namespace

Grid::Range Grid::buckets(double low, double high, std::size_t size) {
  const double first = cell_of(low), count = cell_of(high) - first + 1;
  if (!(count < static_cast<double>(size))) return {0, size};
  return {bucket_of(first, size), static_cast<std::size_t>(count)};
}

void Grid::rebuild(const Snapshot& snapshot, std::span<const double> radii, double cell) {
  EXPECTS(radii.size() == snapshot.size() && cell > 0);
  const std::span<const State> states = snapshot.states();
  const std::size_t n = states.size();
  inverse_cell_ = 1 / cell;
  max_radius_ = 0;
  double min_x = 0, min_y = 0, max_x = 0, max_y = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const Vec3& p = states[i].pose.p;
    if (i == 0) min_x = max_x = p.x, min_y = max_y = p.y;
    min_x = std::min(min_x, p.x), max_x = std::max(max_x, p.x);
    min_y = std::min(min_y, p.y), max_y = std::max(max_y, p.y);
    max_radius_ = std::max(max_radius_, radii[i]);
  }

  std::size_t most = kMinBuckets;  // a few for each entity, so that little of what is far away falls into the same one
  while (most < 4 * n) most *= 2;
  cols_ = side_for((max_x - min_x) * inverse_cell_ + 1, most);
  rows_ = side_for((max_y - min_y) * inverse_cell_ + 1, most);
  while (cols_ * rows_ > most) (cols_ > rows_ ? cols_ : rows_) /= 2;

  begin_.assign(cols_ * rows_ + 1, 0);
  bucket_of_slot_.resize(n);
  items_.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    const Vec3& p = states[i].pose.p;
    const std::size_t bucket = bucket_of(cell_of(p.y * inverse_cell_), rows_) * cols_ +
                               bucket_of(cell_of(p.x * inverse_cell_), cols_);
    bucket_of_slot_[i] = static_cast<std::uint32_t>(bucket);
    ++begin_[bucket];
  }
  std::uint32_t sum = 0;
  for (std::uint32_t& b : begin_) sum += b, b = sum;  // now the end of each bucket
  for (std::size_t i = n; i-- > 0;) {                 // backwards: the ends become the beginnings
    const Vec3& p = states[i].pose.p;
    items_[--begin_[bucket_of_slot_[i]]] = {p.x, p.y, radii[i], static_cast<Slot>(i)};
  }
}

void Grid::query(const Snapshot& snapshot, double x, double y, double radius, Slot self,
                 std::vector<Slot>& out) const {
  EXPECTS(snapshot.size() == items_.size());
  // A hair wider than the exact decision, so that its rounding never falls between two cells.
  const double reach = (radius + max_radius_) * (1 + 1e-12) + 1e-9 + 1e-15 * (std::abs(x) + std::abs(y));
  const Range cols = buckets((x - reach) * inverse_cell_, (x + reach) * inverse_cell_, cols_);
  const Range rows = buckets((y - reach) * inverse_cell_, (y + reach) * inverse_cell_, rows_);
  const std::size_t found = out.size();
  const auto scan = [&](std::size_t first_bucket, std::size_t end_bucket) {
    const std::size_t last = begin_[end_bucket];
    for (std::size_t i = begin_[first_bucket]; i < last; ++i) {
      const Item& item = items_[i];
      const double dx = item.x - x, dy = item.y - y, r = radius + item.radius;
      if (dx * dx + dy * dy <= r * r && item.slot != self) out.push_back(item.slot);
    }
  };
  for (std::size_t k = 0; k < rows.count; ++k) {
    const std::size_t row = ((rows.first + k) & (rows_ - 1)) * cols_;
    const std::size_t end = cols.first + cols.count;
    scan(row + cols.first, row + std::min(end, cols_));
    if (end > cols_) scan(row, row + end - cols_);
  }
  if (out.size() - found > 1) std::sort(out.begin() + static_cast<std::ptrdiff_t>(found), out.end());
}

}  // namespace convoy
