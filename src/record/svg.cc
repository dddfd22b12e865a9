#include "record/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>

#include "core/check.h"
#include "core/math.h"
#include "core/utf8.h"
#include "record/plot_frame.h"

namespace convoy {
namespace {

constexpr double kLegendWidth = 170;
constexpr std::size_t kMaxName = 64;                                // bytes of a name in a legend
constexpr const char* kFill[] = {"#ffffff", "#3c4149", "#d5d8dd"};  // by MapCell

// XML's five, and nothing that XML does not allow.
std::string escaped(std::string_view text) {
  const bool utf8 = is_utf8(text);
  std::string out;
  for (const char c : text) {
    const auto u = static_cast<unsigned char>(c);
    if (c == '&') out += "&amp;";
    else if (c == '<') out += "&lt;";
    else if (c == '>') out += "&gt;";
    else if (c == '"') out += "&quot;";
    else out += u < 0x20 || u == 0x7f || (u >= 0x80 && !utf8) ? '?' : c;
  }
  return out;
}

struct Rect {
  int x = 0, y = 0, w = 0, h = 0;
};

// Runs of each row, joined with the equal run of the row before.
std::vector<Rect> rects_of(const CellGrid& grid, MapCell kind) {
  std::vector<Rect> done;
  std::map<std::pair<int, int>, Rect> growing, next;  // by (x, w)
  for (int y = 0; y < grid.height; ++y) {
    next.clear();
    const MapCell* const row = grid.cells.data() + static_cast<std::size_t>(y) * static_cast<std::size_t>(grid.width);
    for (int x = 0; x < grid.width;) {
      if (row[x] != kind) {
        ++x;
        continue;
      }
      const int begin = x;
      while (x < grid.width && row[x] == kind) ++x;
      const auto above = growing.find({begin, x - begin});
      Rect rect{begin, y, x - begin, 1};
      if (above != growing.end()) {
        rect = above->second;
        ++rect.h;
        growing.erase(above);
      }
      next.emplace(std::pair(begin, x - begin), rect);
    }
    for (const auto& [key, rect] : growing) done.push_back(rect);
    growing.swap(next);
  }
  for (const auto& [key, rect] : growing) done.push_back(rect);
  return done;
}

// The commonest kind is the ground; the other two are laid over it.
void draw_map(const MapImage& map, const Frame& frame, std::string& out) {
  CellGrid grid{.width = map.width, .height = map.height, .cells = {map.cells.begin(), map.cells.end()}};
  double cell = map.resolution_m;
  std::array<std::vector<Rect>, 3> rects;
  MapCell ground{};
  for (;;) {
    std::array<std::size_t, 3> count{};
    for (const MapCell c : grid.cells) ++count[static_cast<std::size_t>(c)];
    ground = static_cast<MapCell>(std::max_element(count.begin(), count.end()) - count.begin());
    std::size_t total = 0;
    for (std::size_t kind = 0; kind < 3; ++kind) {
      rects[kind].clear();
      if (static_cast<MapCell>(kind) != ground) rects[kind] = rects_of(grid, static_cast<MapCell>(kind));
      total += rects[kind].size();
    }
    if (total <= kMaxMapRects) break;
    grid = halved(grid);
    cell *= 2;
  }
  // Cell coordinates: x along a row, y up the rows.
  double s, c;
  math::sincos(map.origin_yaw_rad, s, c);
  const Point o = frame.at(map.origin_x_m, map.origin_y_m);
  const double k = cell * frame.scale;
  auto to = std::back_inserter(out);
  fmt::format_to(to,
                 "<g shape-rendering=\"crispEdges\" transform=\"matrix({:.9g} {:.9g} {:.9g} {:.9g} {:.3f} {:.3f})\">\n",
                 c * k, -s * k, -s * k, -c * k, o.x, o.y);
  fmt::format_to(to, "<rect width=\"{:.9g}\" height=\"{:.9g}\" fill=\"{}\"/>\n", map.width * map.resolution_m / cell,
                 map.height * map.resolution_m / cell, kFill[static_cast<std::size_t>(ground)]);
  for (const std::size_t kind : {2u, 0u, 1u}) {
    if (rects[kind].empty()) continue;
    fmt::format_to(to, "<path fill=\"{}\" d=\"", kFill[kind]);
    for (const Rect& r : rects[kind]) fmt::format_to(to, "M{} {}h{}v{}h-{}z", r.x, r.y, r.w, r.h, r.w);
    out += "\"/>\n";
  }
  out += "</g>\n";
}

void draw_axes(const Frame& f, std::string& out) {
  auto to = std::back_inserter(out);
  const double right = kLeft + f.width(), bottom = kTop + f.height();
  const double step = round_step(90 / f.scale);
  out += "<g stroke=\"#8a93a0\" stroke-opacity=\"0.25\" stroke-width=\"1\" fill=\"none\"><path d=\"";
  std::string labels;
  auto label = std::back_inserter(labels);
  // Counted, so that labels are exact multiples.
  for (double k = std::ceil(f.left / step); k * step <= f.right; ++k) {
    const double x = f.at(k * step, 0).x;
    fmt::format_to(to, "M{:.1f} {:.1f}V{:.1f}", x, kTop, bottom);
    fmt::format_to(label, "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{:.6g}</text>\n", x, bottom + 18,
                   k * step + 0.0);
  }
  for (double k = std::ceil(f.bottom / step); k * step <= f.top; ++k) {
    const double y = f.at(0, k * step).y;
    fmt::format_to(to, "M{:.1f} {:.1f}H{:.1f}", kLeft, y, right);
    fmt::format_to(label, "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{:.6g}</text>\n", kLeft - 8, y + 4,
                   k * step + 0.0);
  }
  fmt::format_to(to,
                 "\"/></g>\n<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"none\" "
                 "stroke=\"#5b6472\"/>\n",
                 kLeft, kTop, f.width(), f.height());
  out += "<g fill=\"#39414d\" font-size=\"12\">\n" + labels;
  fmt::format_to(to, "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">x (m)</text>\n", kLeft + f.width() / 2,
                 bottom + 40);
  fmt::format_to(to, "<text transform=\"translate(16 {:.1f}) rotate(-90)\" text-anchor=\"middle\">y (m)</text>\n</g>\n",
                 kTop + f.height() / 2);
}

// Above the plot, where it hides nothing.
void draw_scale_bar(const Frame& f, std::string& out) {
  const double length = round_step(0.25 * (f.right - f.left));
  const double x = kLeft + f.width() - length * f.scale, y = kTop - 10;
  fmt::format_to(std::back_inserter(out),
                 "<path d=\"M{0:.1f} {1:.1f}v6h{2:.1f}v-6\" fill=\"none\" stroke=\"#1c2128\" stroke-width=\"2\"/>\n"
                 "<text x=\"{3:.1f}\" y=\"{4:.1f}\" text-anchor=\"middle\" font-size=\"12\">{5:.6g} m</text>\n",
                 x, y - 6, length * f.scale, x + length * f.scale / 2, y - 8, length);
}

void draw_lines(std::span<const Trajectory> trajectories, const Frame& f, std::string& out) {
  const std::size_t drawn = std::min(trajectories.size(), kMaxDrawnRobots);
  const std::size_t limit = std::max<std::size_t>(2, kMaxPlottedPoints / std::max<std::size_t>(1, drawn));
  const auto [pen, dot] = pen_for(drawn);
  auto to = std::back_inserter(out);
  std::string dots;
  fmt::format_to(to, "<g fill=\"none\" stroke-width=\"{}\" stroke-linejoin=\"round\" stroke-linecap=\"round\">\n", pen);
  for (std::size_t i = 0; i < drawn; ++i) {
    const auto lines = lines_of(trajectories[i], f, limit);
    if (lines.empty()) continue;
    const std::string name = escaped(shortened(trajectories[i].name, kMaxName)), colour = robot_colour(i);
    fmt::format_to(to, "<path stroke=\"{}\" d=\"", colour);
    for (const auto& line : lines)
      for (std::size_t k = 0; k < line.size(); ++k)
        fmt::format_to(to, "{}{:.1f} {:.1f}", k == 0 ? "M" : k == 1 ? "L" : " ", line[k].x, line[k].y);
    fmt::format_to(to, "\"><title>{}</title></path>\n", name);
    fmt::format_to(std::back_inserter(dots),
                   "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\" fill=\"{}\"><title>{}</title></circle>\n",
                   lines[0][0].x, lines[0][0].y, dot, colour, name);
  }
  out += "</g>\n<g stroke=\"#ffffff\" stroke-width=\"1\">\n" + dots + "</g>\n";
}

void draw_legend(std::span<const Trajectory> trajectories, const Frame& f, std::string& out) {
  auto to = std::back_inserter(out);
  out += "<g font-size=\"13\" fill=\"#1c2128\">\n";
  for (std::size_t i = 0; i < trajectories.size(); ++i) {
    const double x = kLeft + f.width() + 18, y = kTop + 14 + 22 * static_cast<double>(i);
    fmt::format_to(
        to, "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"5\" fill=\"{}\"/><text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", x,
        y, robot_colour(i), x + 12, y + 4.5, escaped(shortened(trajectories[i].name, 20)));
  }
  out += "</g>\n";
}

std::string in_quotes(std::string_view field) {
  if (field.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(field);
  std::string out = "\"";
  for (const char c : field) out.append(c == '"' ? 2 : 1, c);
  return out + '"';
}

}  // namespace

std::string robot_colour(std::size_t index) {
  // The hue goes around by the golden angle, so that hues lie close together only for indexes a Fibonacci number apart
  // (34, 55, 89, 144); none of these is a multiple of the seven shades.
  static constexpr double kShades[][2] = {{0.42, 0.90}, {0.30, 0.60}, {0.55, 0.75}, {0.36, 1.00},
                                          {0.47, 0.45}, {0.25, 0.95}, {0.62, 0.60}};  // lightness, saturation
  const double turn = static_cast<double>(index) * 137.50776405003785 / 360;
  const double hue = 6 * (turn - std::floor(turn));
  const auto [light, strength] = kShades[index % std::size(kShades)];
  const double c = (1 - std::abs(2 * light - 1)) * strength, low = light - c / 2;
  const auto part = [&](double shift) {
    const double h = std::fmod(hue + shift, 6.0);
    const double up = std::clamp(std::abs(h - 3) - 1, 0.0, 1.0);  // red: full around 0, none around 3
    return static_cast<int>(255 * (low + c * up) + 0.5);
  };
  return fmt::format("#{:02x}{:02x}{:02x}", part(0), part(4), part(2));
}

std::string draw_trajectories(std::span<const Trajectory> trajectories, const MapImage* map, std::string_view title) {
  const Frame f = frame_of(trajectories, map);
  const bool legend = !trajectories.empty() && trajectories.size() <= kMaxLegend;
  const double width = kLeft + f.width() + kRight + (legend ? kLegendWidth : 0);
  const double height = std::max(kTop + f.height() + kBottom,
                                 legend ? kTop + 22 * static_cast<double>(trajectories.size()) + kBottom : 0.0);
  std::string out;
  auto to = std::back_inserter(out);
  fmt::format_to(to,
                 "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} "
                 "{1:.0f}\" font-family=\"DejaVu Sans, Helvetica, Arial, sans-serif\">\n"
                 "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
                 std::ceil(width), std::ceil(height));
  fmt::format_to(
      to, "<clipPath id=\"plot\"><rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/></clipPath>\n",
      kLeft, kTop, f.width(), f.height());
  const std::string heading = escaped(heading_of(title, trajectories.size()));
  fmt::format_to(to, "<text x=\"{:.1f}\" y=\"26\" font-size=\"16\" fill=\"#1c2128\">{}</text>\n", kLeft, heading);
  out += "<g clip-path=\"url(#plot)\">\n";
  if (map) draw_map(*map, f, out);
  out += "</g>\n";
  draw_axes(f, out);
  draw_lines(trajectories, f, out);
  draw_scale_bar(f, out);
  if (legend) draw_legend(trajectories, f, out);
  out += "</svg>\n";
  return out;
}

std::string trajectories_csv(std::span<const Trajectory> trajectories) {
  std::string out = "time_s,name,x,y,yaw\n";
  auto to = std::back_inserter(out);
  for (const Trajectory& t : trajectories) {
    const std::string name = in_quotes(t.name);
    for (const TrajectoryPoint& p : t.points)
      fmt::format_to(to, "{},{},{},{},{}\n", p.time_s, name, p.x_m, p.y_m, p.yaw_rad);
  }
  return out;
}

}  // namespace convoy
