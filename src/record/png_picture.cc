// The picture of svg.cc, drawn dot by dot.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "core/math.h"
#include "record/plot_frame.h"

namespace convoy {
namespace {

constexpr double kLegendRoom = 235;  // px
constexpr std::size_t kLegendName = 20;
constexpr Colour kGrid{0x8a, 0x93, 0xa0};
constexpr Colour kCellFill[] = {{255, 255, 255}, {0x3c, 0x41, 0x49}, {0xd5, 0xd8, 0xdd}};  // by MapCell

Colour colour_of(std::size_t robot) {
  const std::string text = robot_colour(robot);  // "#rrggbb"
  const auto part = [&](std::size_t at) {
    std::uint8_t value = 0;
    std::from_chars(text.data() + at, text.data() + at + 2, value, 16);
    return value;
  };
  return {part(1), part(3), part(5)};
}

// An obstacle that is smaller than a pixel is still drawn.
void draw_map(const MapImage& map, const Frame& frame, Canvas& canvas) {
  CellGrid grid{.width = map.width, .height = map.height, .cells = {map.cells.begin(), map.cells.end()}};
  double cell = map.resolution_m;
  for (; cell * frame.scale < 0.5 && (grid.width > 1 || grid.height > 1); cell *= 2) grid = halved(grid);
  double s, c;
  math::sincos(map.origin_yaw_rad, s, c);
  canvas.fill([&](Point p) {
    const double x = frame.left + (p.x - kLeft) / frame.scale - map.origin_x_m;
    const double y = frame.top - (p.y - kTop) / frame.scale - map.origin_y_m;
    const double column = std::floor((c * x + s * y) / cell), row = std::floor((c * y - s * x) / cell);
    if (!(column >= 0 && row >= 0 && column < grid.width && row < grid.height)) return kCellFill[0];
    return kCellFill[static_cast<std::size_t>(
        grid.cells[static_cast<std::size_t>(row) * static_cast<std::size_t>(grid.width) +
                   static_cast<std::size_t>(column)])];
  });
}

void draw_axes(const Frame& f, Canvas& canvas) {
  const double right = kLeft + f.width(), bottom = kTop + f.height(), step = round_step(90 / f.scale);
  const auto label = [](double metres) { return fmt::format("{:.6g}", metres + 0.0); };
  for (double k = std::ceil(f.left / step); k * step <= f.right; ++k) {
    const double x = f.at(k * step, 0).x;
    canvas.rect({x - 0.33, kTop}, {x + 0.34, bottom}, mixed({255, 255, 255}, kGrid, 0.45));
    const std::string text = label(k * step);
    canvas.text({x - Canvas::text_width(text) / 2, bottom + 19}, text, kLabel);
  }
  for (double k = std::ceil(f.bottom / step); k * step <= f.top; ++k) {
    const double y = f.at(0, k * step).y;
    canvas.rect({kLeft, y - 0.33}, {right, y + 0.34}, mixed({255, 255, 255}, kGrid, 0.45));
    const std::string text = label(k * step);
    canvas.text({kLeft - 6 - Canvas::text_width(text), y + Canvas::kTextHeight / 2}, text, kLabel);
  }
  canvas.rect({kLeft - 1, kTop - 1}, {right + 1, kTop}, kBorder),
      canvas.rect({kLeft - 1, bottom}, {right + 1, bottom + 1}, kBorder);
  canvas.rect({kLeft - 1, kTop}, {kLeft, bottom}, kBorder), canvas.rect({right, kTop}, {right + 1, bottom}, kBorder);
  constexpr std::string_view kX = "x (m)", kY = "y (m)";
  canvas.text({kLeft + (f.width() - Canvas::text_width(kX)) / 2, bottom + 42}, kX, kLabel);
  canvas.text_upwards({16, kTop + (f.height() + Canvas::text_width(kY)) / 2}, kY, kLabel);
}

void draw_scale_bar(const Frame& f, Canvas& canvas) {
  const double length = round_step(0.25 * (f.right - f.left)), high = kLeft + f.width();
  const double low = high - length * f.scale, y = kTop - 10;
  canvas.rect({low - 1, y - 6}, {low + 1, y + 1}, kInk), canvas.rect({high - 1, y - 6}, {high + 1, y + 1}, kInk);
  canvas.rect({low, y - 1}, {high, y + 1}, kInk);
  const std::string text = fmt::format("{:.6g} m", length);
  canvas.text({(low + high - Canvas::text_width(text)) / 2, y - 9}, text, kInk);
}

void draw_lines(std::span<const Trajectory> trajectories, const Frame& f, Canvas& canvas) {
  const std::size_t drawn = std::min(trajectories.size(), kMaxDrawnRobots);
  const std::size_t limit = std::max<std::size_t>(2, kMaxPlottedPoints / std::max<std::size_t>(1, drawn));
  const Pen pen = pen_for(drawn);
  std::vector<std::pair<Point, Colour>> starts;
  for (std::size_t i = 0; i < drawn; ++i) {
    const auto lines = lines_of(trajectories[i], f, limit);
    if (lines.empty()) continue;
    const Colour colour = colour_of(i);
    for (const auto& line : lines)
      for (std::size_t k = 0; k < line.size(); ++k) canvas.line(line[k == 0 ? 0 : k - 1], line[k], pen.line, colour);
    starts.emplace_back(lines[0][0], colour);
  }
  for (const auto& [at, colour] : starts) {
    canvas.disc(at, pen.dot + 0.7, {255, 255, 255});
    canvas.disc(at, pen.dot - 0.3, colour);
  }
}

void draw_legend(std::span<const Trajectory> trajectories, const Frame& f, Canvas& canvas) {
  for (std::size_t i = 0; i < trajectories.size(); ++i) {
    const double x = kLeft + f.width() + 18, y = kTop + 14 + 22 * static_cast<double>(i);
    canvas.disc({x, y}, 5, colour_of(i));
    canvas.text({x + 12, y + Canvas::kTextHeight / 2}, shortened(trajectories[i].name, kLegendName), kInk);
  }
}

}  // namespace

void draw_plan(const MapImage* map, const Frame& frame, Canvas& canvas) {
  canvas.clip({kLeft, kTop}, {kLeft + frame.width(), kTop + frame.height()});
  if (map) draw_map(*map, frame, canvas);
  canvas.unclip();
  draw_axes(frame, canvas);
  draw_scale_bar(frame, canvas);
}

Bytes draw_trajectories_png(std::span<const Trajectory> trajectories, const MapImage* map, std::string_view title) {
  const Frame f = frame_of(trajectories, map);
  const bool legend = !trajectories.empty() && trajectories.size() <= kMaxLegend;
  const double width = kLeft + f.width() + kRight + (legend ? kLegendRoom : 0);
  const double height = std::max(kTop + f.height() + kBottom,
                                 legend ? kTop + 22 * static_cast<double>(trajectories.size()) + kBottom : 0.0);
  Canvas canvas(static_cast<int>(std::ceil(width)), static_cast<int>(std::ceil(height)));
  const Point high{kLeft + f.width(), kTop + f.height()};
  draw_plan(map, f, canvas);
  draw_lines(trajectories, f, canvas);
  const double bar = round_step(0.25 * (f.right - f.left)) * f.scale;
  canvas.clip({0, 0}, {high.x - std::max(bar, 60.0) - 10, height});
  canvas.text({kLeft, 26}, heading_of(title, trajectories.size()), kInk);
  canvas.unclip();
  if (legend) draw_legend(trajectories, f, canvas);
  return canvas.png();
}

}  // namespace convoy
