#include "scenario/reach.h"

#include <cmath>
#include <numeric>

#include "core/check.h"

namespace convoy::scenario {

namespace {

constexpr std::uint32_t kUnseen = ~std::uint32_t{0};

}  // namespace

Reach::Reach(const StaticMap& map, double radius, Room room)
    : map_(map), cell_area_(map.data().resolution * map.data().resolution), cells_{0} {
  EXPECTS(!map.empty());
  const MapData& data = map.data();
  // The clearance is that of a whole cell, and falls short of a place's own by a diagonal at most.
  const double needed = radius - (room == Room::kPerhaps ? data.resolution * std::sqrt(2.0) : 0);
  parts_.resize(data.cells.size());
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const double col = static_cast<double>(i % data.width), row = static_cast<double>(i / data.width);
    const double clearance = map.clearance((col + 0.5) * data.resolution, (row + 0.5) * data.resolution);
    parts_[i] = data.cells[i] == 0 && clearance >= needed ? kUnseen : 0;
  }
  for (std::size_t i = 0; i < parts_.size(); ++i)
    if (parts_[i] == kUnseen) fill(static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(cells_.size()));
}

void Reach::fill(std::uint32_t first, std::uint32_t part) {
  const std::uint32_t width = map_.data().width, height = map_.data().height;
  cells_.push_back(0);
  const auto take = [&](std::uint32_t cell) {
    if (parts_[cell] != kUnseen) return;
    parts_[cell] = part;
    ++cells_[part];
    border_.push_back(cell);
  };
  take(first);
  while (!border_.empty()) {
    const std::uint32_t cell = border_.back(), col = cell % width, row = cell / width;
    border_.pop_back();
    if (col > 0) take(cell - 1);
    if (col + 1 < width) take(cell + 1);
    if (row > 0) take(cell - width);
    if (row + 1 < height) take(cell + width);
  }
}

std::uint32_t Reach::part_at(double x, double y) const {
  const Vec2 m = map_.to_map(x, y);
  if (map_.solid_at(m.x, m.y)) return 0;
  const auto col = static_cast<std::size_t>(m.x / map_.data().resolution),
             row = static_cast<std::size_t>(m.y / map_.data().resolution);
  const std::size_t cell = row * map_.data().width + col;
  return col < map_.data().width && cell < parts_.size() ? parts_[cell] : 0;
}

double Reach::area() const {
  return static_cast<double>(std::accumulate(cells_.begin(), cells_.end(), std::uint64_t{0})) * cell_area_;
}

}  // namespace convoy::scenario
