#include "record/plot_frame.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/check.h"
#include "core/math.h"

namespace convoy {
namespace {

constexpr double kPlot = 1000;    // longer side of the plot, px
constexpr double kMinMove = 0.4;  // px; nearer points are not drawn

// Beyond, a millimetre is lost in a float's rounding by viewers, and axes lose their meaning.
constexpr double kMaxCoordinate = 1e7;  // m
constexpr double kMinExtent = 0.05;     // m

bool within(double x, double y) { return std::abs(x) <= kMaxCoordinate && std::abs(y) <= kMaxCoordinate; }
bool drawable(const TrajectoryPoint& p) { return within(p.x_m, p.y_m); }  // false for NaN

Point map_corner(const MapImage& map, double column, double row) {
  double s, c;
  math::sincos(map.origin_yaw_rad, s, c);
  const double u = column * map.resolution_m, v = row * map.resolution_m;
  return {map.origin_x_m + c * u - s * v, map.origin_y_m + s * u + c * v};
}

}  // namespace

Frame frame_of(std::span<const Trajectory> trajectories, const MapImage* map) {
  if (map) {
    EXPECTS(map->width > 0 && map->height > 0 && map->resolution_m > 0);
    EXPECTS(within(map->origin_x_m, map->origin_y_m));
    EXPECTS(within(map->width * map->resolution_m, map->height * map->resolution_m));
    EXPECTS(map->cells.size() == static_cast<std::size_t>(map->width) * static_cast<std::size_t>(map->height));
    for (const MapCell c : map->cells) EXPECTS(c <= MapCell::kUnknown);
  }
  Frame f{.left = HUGE_VAL, .right = -HUGE_VAL, .bottom = HUGE_VAL, .top = -HUGE_VAL};
  const auto include = [&f](double x, double y) {
    f.left = std::min(f.left, x), f.right = std::max(f.right, x);
    f.bottom = std::min(f.bottom, y), f.top = std::max(f.top, y);
  };
  for (const Trajectory& t : trajectories)
    for (const TrajectoryPoint& p : t.points)
      if (drawable(p)) include(p.x_m, p.y_m);
  const double margin = f.left <= f.right ? 0.03 * std::max({f.right - f.left, f.top - f.bottom, 1.0}) : 0;
  f.left -= margin, f.right += margin, f.bottom -= margin, f.top += margin;
  if (map)
    for (const int corner : {0, 1, 2, 3}) {
      const Point p = map_corner(*map, corner & 1 ? map->width : 0, corner & 2 ? map->height : 0);
      include(p.x, p.y);
    }
  if (!(f.left < f.right)) f = {.left = -1, .right = 1, .bottom = -1, .top = 1};
  // A long, thin picture keeps room for its labels.
  const double least = std::max(kMinExtent, 0.15 * std::max(f.right - f.left, f.top - f.bottom));
  if (f.right - f.left < least) f.left -= least / 2, f.right += least / 2;
  if (f.top - f.bottom < least) f.bottom -= least / 2, f.top += least / 2;
  f.scale = kPlot / std::max(f.right - f.left, f.top - f.bottom);
  return f;
}

double round_step(double limit) {
  double step = 1;
  while (step > limit) step /= 10;
  while (step * 10 <= limit) step *= 10;
  return step * 5 <= limit ? step * 5 : step * 2 <= limit ? step * 2 : step;
}

std::vector<std::vector<Point>> lines_of(const Trajectory& t, const Frame& f, std::size_t limit) {
  std::vector<std::vector<Point>> lines;
  std::size_t kept = 0;
  bool broken = true;
  const TrajectoryPoint* last = nullptr;
  const auto keep = [&](Point p) {
    lines.back().push_back(p);
    ++kept;
  };
  for (const TrajectoryPoint& point : t.points) {
    if (!drawable(point)) {
      broken = true;
      continue;
    }
    const Point p = f.at(point.x_m, point.y_m);
    if (broken) lines.emplace_back();
    if (broken || math::hypot(p.x - lines.back().back().x, p.y - lines.back().back().y) >= kMinMove) keep(p);
    broken = false;
    last = &point;
  }
  // The end is where the robot is, even when it has hardly moved since.
  if (last && !lines.empty() && !broken) keep(f.at(last->x_m, last->y_m));
  if (kept <= limit) return lines;
  const std::size_t stride = (kept + limit - 1) / limit;
  std::vector<std::vector<Point>> thin;
  for (const auto& line : lines) {
    if (thin.size() * 2 >= limit) break;  // more pieces than points may be drawn
    thin.emplace_back();
    for (std::size_t i = 0; i < line.size(); i += stride) thin.back().push_back(line[i]);
    thin.back().push_back(line.back());
  }
  return thin;
}

CellGrid halved(const CellGrid& grid) {
  CellGrid half{.width = (grid.width + 1) / 2, .height = (grid.height + 1) / 2};
  half.cells.assign(static_cast<std::size_t>(half.width) * static_cast<std::size_t>(half.height), MapCell::kFree);
  for (int y = 0; y < grid.height; ++y)
    for (int x = 0; x < grid.width; ++x) {
      const MapCell from =
          grid.cells[static_cast<std::size_t>(y) * static_cast<std::size_t>(grid.width) + static_cast<std::size_t>(x)];
      MapCell& to = half.cells[static_cast<std::size_t>(y / 2) * static_cast<std::size_t>(half.width) +
                               static_cast<std::size_t>(x / 2)];
      if (from == MapCell::kOccupied || (from == MapCell::kUnknown && to == MapCell::kFree)) to = from;
    }
  return half;
}

Pen pen_for(std::size_t robots) {
  return {robots <= 20 ? 2.2 : robots <= 80 ? 1.5 : 1.1, robots <= 20 ? 5 : robots <= 80 ? 4 : 3.2};
}

std::string_view shortened(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xc0) == 0x80) --bytes;
  return text.substr(0, bytes);
}

std::string heading_of(std::string_view title, std::size_t robots) {
  std::string heading(shortened(title, 200));
  if (robots > kMaxDrawnRobots) heading += fmt::format(" (the first {} of {} robots)", kMaxDrawnRobots, robots);
  return heading;
}

}  // namespace convoy
