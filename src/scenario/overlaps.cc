#include "scenario/overlaps.h"

#include <algorithm>
#include <cmath>

namespace convoy::scenario {

namespace {

constexpr double kTouching = 1e-6;     // m: so deep is no overlap yet
constexpr double kLeastRadius = 1e-3;  // m

}  // namespace

Overlaps::Key Overlaps::Grid::key(double x, double y) const {
  return {static_cast<std::int64_t>(std::floor(x / cell)), static_cast<std::int64_t>(std::floor(y / cell))};
}

void Overlaps::add(const Pose& pose, const Model& model, const std::function<void(std::size_t)>& met) {
  const Body body{planar(pose), &model, std::max(circumscribed_radius(model), kLeastRadius)};
  std::vector<std::uint32_t> found;
  for (const auto& [exponent, grid] : grids_) near(grid, body, found);
  std::sort(found.begin(), found.end());
  for (std::uint32_t other : found) met(other);

  const int exponent = std::ilogb(body.radius);
  Grid& grid = grids_.try_emplace(exponent, Grid{std::ldexp(4.0, exponent), {}}).first->second;
  grid.cells[grid.key(body.at.x, body.at.y)].push_back(static_cast<std::uint32_t>(bodies_.size()));
  bodies_.push_back(body);
}

void Overlaps::near(const Grid& grid, const Body& body, std::vector<std::uint32_t>& found) {
  const double reach = body.radius + grid.cell / 2;
  const Key low = grid.key(body.at.x - reach, body.at.y - reach), high = grid.key(body.at.x + reach, body.at.y + reach);
  const auto count =
      static_cast<double>(high.first - low.first + 1) * static_cast<double>(high.second - low.second + 1);
  if (count > static_cast<double>(grid.cells.size())) {  // a large one among small ones
    for (const auto& [key, others] : grid.cells)
      if (key >= low && key.second >= low.second && key.first <= high.first && key.second <= high.second)
        compare(others, body, found);
    return;
  }
  for (std::int64_t col = low.first; col <= high.first; ++col)
    for (std::int64_t row = low.second; row <= high.second; ++row)
      if (const auto cell = grid.cells.find({col, row}); cell != grid.cells.end()) compare(cell->second, body, found);
}

void Overlaps::compare(const std::vector<std::uint32_t>& others, const Body& body, std::vector<std::uint32_t>& found) {
  for (std::uint32_t other : others) {
    if (++compared_ > kMaxCompared) return;
    const Body& b = bodies_[other];
    const double dx = body.at.x - b.at.x, dy = body.at.y - b.at.y, apart = body.radius + b.radius;
    if (dx * dx + dy * dy >= apart * apart) continue;
    if (widest_gap(b.at, b.model->footprint, body.at, body.model->footprint).width < -kTouching) found.push_back(other);
  }
}

}  // namespace convoy::scenario
