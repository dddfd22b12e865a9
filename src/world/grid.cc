#include "world/grid.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/check.h"

namespace convoy {
namespace {

constexpr std::size_t kMinBuckets = 64;
constexpr double kMostDrift = 1000;  // m; a larger sum would swallow small motions
constexpr double kNowhere = std::numeric_limits<double>::quiet_NaN();
constexpr double kFarthestCell = 1e15;  // cells beyond this one fall together with it

// floor(), written out: a call of the library's costs more than the rest of the loop.
std::int64_t cell_of(double scaled) {
  scaled = scaled > -kFarthestCell ? scaled : -kFarthestCell;
  scaled = scaled < kFarthestCell ? scaled : kFarthestCell;
  const auto cell = static_cast<std::int64_t>(scaled);
  return cell - (static_cast<double>(cell) > scaled);
}

std::size_t bucket_of(std::int64_t cell, std::size_t size) { return static_cast<std::size_t>(cell) & (size - 1); }

// Least power of two that is not below the number of cells, nor above `most`.
std::size_t side_for(double cells, std::size_t most) {
  std::size_t side = 1;
  while (side < most && static_cast<double>(side) < cells) side *= 2;
  return side;
}

}  // namespace

Grid::Range Grid::buckets(double low, double high, std::size_t size) {
  const std::int64_t first = cell_of(low), count = cell_of(high) - first + 1;
  if (count >= static_cast<std::int64_t>(size)) return {0, size};
  return {bucket_of(first, size), static_cast<std::size_t>(count)};
}

// Before places_ are written anew.
void Grid::count_drift(const Snapshot& snapshot) {
  const std::span<const WorldNumber> numbers = snapshot.numbers();
  double farthest = 0;  // m^2
  if (std::equal(numbers.begin(), numbers.end(), numbers_.begin(), numbers_.end())) {
    const std::span<const State> states = snapshot.states();
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const double dx = states[i].pose.p.x - places_[i].x, dy = states[i].pose.p.y - places_[i].y;
      farthest = std::max(farthest, dx * dx + dy * dy);
    }
    drift_ += std::sqrt(farthest);
    if (generation_ > 0 && drift_ < kMostDrift) return;
  }
  numbers_.assign(numbers.begin(), numbers.end());
  drift_ = 0;
  ++generation_;
}

void Grid::rebuild(const Snapshot& snapshot, std::span<const double> radii, double cell) {
  EXPECTS(radii.size() == snapshot.size() && cell > 0);
  const std::span<const State> states = snapshot.states();
  const std::size_t n = states.size();
  count_drift(snapshot);
  places_.resize(n);
  items_.resize(n);
  // Locals, so that the compiler need not fear that a store changes a member.
  Place* __restrict places = places_.data();
  Item* __restrict items = items_.data();
  const double inverse = 1 / cell;

  const double wide = kWideCells * cell;
  wide_.clear();
  double min_x = 0, min_y = 0, max_x = 0, max_y = 0, max_radius = 0;
  if (n > 0) min_x = max_x = states[0].pose.p.x, min_y = max_y = states[0].pose.p.y;
  for (std::size_t i = 0; i < n; ++i) {
    const double x = states[i].pose.p.x, y = states[i].pose.p.y;
    places[i].x = x, places[i].y = y;
    min_x = x < min_x ? x : min_x, max_x = x > max_x ? x : max_x;
    min_y = y < min_y ? y : min_y, max_y = y > max_y ? y : max_y;
    max_radius = radii[i] > max_radius && radii[i] < wide ? radii[i] : max_radius;
  }

  std::size_t most = kMinBuckets;  // a few for each entity, so that little of what is far away falls into the same one
  while (most < 4 * n) most *= 2;
  std::size_t cols = side_for((max_x - min_x) * inverse + 1, most);
  std::size_t rows = side_for((max_y - min_y) * inverse + 1, most);
  while (cols * rows > most) (cols > rows ? cols : rows) /= 2;
  inverse_cell_ = inverse, max_radius_ = max_radius, cols_ = cols, rows_ = rows;

  begin_.assign(cols * rows + 1, 0);
  std::uint32_t* __restrict begin = begin_.data();
  for (std::size_t i = 0; i < n; ++i) {
    Place& p = places[i];
    p.bucket = static_cast<std::uint32_t>(bucket_of(cell_of(p.y * inverse), rows) * cols +
                                          bucket_of(cell_of(p.x * inverse), cols));
    ++begin[p.bucket];
  }
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i <= cols * rows; ++i) sum += begin[i], begin[i] = sum;  // now the end of each bucket
  for (std::size_t i = n; i-- > 0;) {  // backwards: the ends become the beginnings
    const Place& p = places[i];
    // What has no body is near nothing: no distance to NaN is small.
    const bool here = radii[i] >= 0 && radii[i] < wide;
    items[--begin[p.bucket]] = {here ? p.x : kNowhere, p.y, radii[i], static_cast<Slot>(i)};
    if (radii[i] >= wide) [[unlikely]]
      wide_.push_back({p.x, p.y, radii[i], static_cast<Slot>(i)});
  }
}

void Grid::query(const Snapshot& snapshot, double x, double y, double radius, Slot self, std::vector<Slot>& out) const {
  EXPECTS(snapshot.size() == items_.size());
  const std::size_t found = out.size();
  each_near(x, y, radius, [&](const Item& item, double) {
    if (item.slot != self) out.push_back(item.slot);
  });
  if (out.size() - found > 1) std::sort(out.begin() + static_cast<std::ptrdiff_t>(found), out.end());
}

double Grid::gap(double x, double y, double radius, double most, Slot self) const {
  double least = most;
  each_near(x, y, radius + most, [&](const Item& item, double d2) {
    if (item.slot != self) least = std::min(least, std::sqrt(d2) - radius - item.radius);
  });
  return std::max(0.0, least);
}

}  // namespace convoy
