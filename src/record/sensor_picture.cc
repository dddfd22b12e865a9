#include "record/sensor_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/math.h"
#include "record/plot_frame.h"

namespace convoy {

namespace {

constexpr double kWide = 1000, kPanel = 240, kBetween = 36, kLegend = 200;  // px
constexpr Colour kGridLine{0xcb, 0xcf, 0xd6};
constexpr Colour kCurves[] = {{0xd1, 0x3b, 0x3b}, {0x2e, 0x8b, 0x57}, {0x2f, 0x6f, 0xb5}, {0x9b, 0x59, 0xb6}};

struct Axis {
  double low = 0, high = 1, step = 1;
};
// From a round number to a round number.
Axis axis_over(double low, double high, double pixels) {
  if (!(low < high)) low -= 0.5, high = low + 1;
  Axis axis;
  axis.step = round_step((high - low) * 60 / pixels) * 2;
  axis.low = std::floor(low / axis.step) * axis.step, axis.high = std::ceil(high / axis.step) * axis.step;
  return axis;
}

void draw_panel(Canvas& canvas, const CurvePanel& panel, std::span<const double> times, const Axis& x, double top) {
  double low = HUGE_VAL, high = -HUGE_VAL;
  for (const Curve& curve : panel.curves)
    for (const double value : curve.values)
      if (std::isfinite(value)) low = std::min(low, value), high = std::max(high, value);
  if (low > high) low = 0, high = 1;
  // A value that stays has labels that differ.
  const double margin = std::max({1e-9, 0.05 * (high - low), 1e-3 * std::max(std::fabs(low), std::fabs(high))});
  const Axis y = axis_over(low - margin, high + margin, kPanel);
  const auto at = [&](double t, double v) {
    return Point{kLeft + (t - x.low) / (x.high - x.low) * kWide, top + (y.high - v) / (y.high - y.low) * kPanel};
  };
  for (double k = std::round(y.low / y.step); k * y.step <= y.high + y.step / 2; ++k) {
    const Point p = at(x.low, k * y.step);
    canvas.rect({kLeft, p.y - 0.33}, {kLeft + kWide, p.y + 0.34}, kGridLine);
    const std::string text = fmt::format("{:.6g}", k * y.step + 0.0);
    canvas.text({kLeft - 6 - Canvas::text_width(text), p.y + Canvas::kTextHeight / 2}, text, kLabel);
  }
  for (const Point edge : {Point{kLeft, top}, Point{kLeft, top + kPanel}})
    canvas.rect({edge.x, edge.y - 0.5}, {edge.x + kWide, edge.y + 0.5}, kBorder);
  canvas.text({kLeft + 4, top - 6}, panel.label, kLabel);
  canvas.clip({kLeft, top}, {kLeft + kWide, top + kPanel});
  for (std::size_t c = 0; c < panel.curves.size(); ++c)
    for (std::size_t i = 1; i < std::min(times.size(), panel.curves[c].values.size()); ++i) {
      const double before = panel.curves[c].values[i - 1], after = panel.curves[c].values[i];
      if (std::isfinite(before) && std::isfinite(after))
        canvas.line(at(times[i - 1], before), at(times[i], after), 1.3, kCurves[c % std::size(kCurves)]);
    }
  canvas.unclip();
  for (std::size_t c = 0; c < panel.curves.size(); ++c) {
    const double line = top + 14 + 20 * static_cast<double>(c);
    canvas.disc({kLeft + kWide + 18, line}, 5, kCurves[c % std::size(kCurves)]);
    canvas.text({kLeft + kWide + 30, line + Canvas::kTextHeight / 2}, shortened(panel.curves[c].name, 16), kInk);
  }
}

}  // namespace

Colour heat(double share) {
  const double s = std::clamp(share, 0.0, 1.0);
  const Colour blue{0x2f, 0x5f, 0xc5}, green{0x2e, 0xa8, 0x57}, red{0xd1, 0x3b, 0x3b};
  return s < 0.5 ? mixed(blue, green, 2 * s) : mixed(green, red, 2 * s - 1);
}

Bytes draw_dots_png(std::span<const PlacedDot> dots, const TrajectoryPoint& eye, const MapImage* map,
                    std::string_view title) {
  Trajectory seen;
  seen.points.push_back(eye);
  for (const PlacedDot& dot : dots) seen.points.push_back({0, dot.x_m, dot.y_m, 0});
  const Frame frame = frame_of({&seen, 1}, map);
  Canvas canvas(static_cast<int>(std::ceil(kLeft + frame.width() + kRight)),
                static_cast<int>(std::ceil(kTop + frame.height() + kBottom)));
  draw_plan(map, frame, canvas);
  canvas.clip({kLeft, kTop}, {kLeft + frame.width(), kTop + frame.height()});
  const double radius = dots.size() > 3000 ? 0.9 : 2;
  for (const PlacedDot& dot : dots) canvas.disc(frame.at(dot.x_m, dot.y_m), radius, dot.colour);
  double s, c;
  math::sincos(eye.yaw_rad, s, c);
  const Point from = frame.at(eye.x_m, eye.y_m);
  canvas.line(from, {from.x + 22 * c, from.y - 22 * s}, 3, kInk);
  canvas.disc(from, 6, kInk);
  canvas.unclip();
  canvas.clip({0, 0}, {kLeft + frame.width() - 120, kTop});
  canvas.text({kLeft, 26}, title, kInk);
  canvas.unclip();
  return canvas.png();
}

Bytes draw_curves_png(std::span<const CurvePanel> panels, std::span<const double> times, std::string_view title) {
  const double height = kTop + static_cast<double>(panels.size()) * (kPanel + kBetween) + kBottom;
  Canvas canvas(static_cast<int>(kLeft + kWide + kLegend), static_cast<int>(height));
  const Axis x = axis_over(times.empty() ? 0 : times.front(), times.empty() ? 1 : times.back(), kWide);
  canvas.text({kLeft, 20}, title, kInk);
  double top = kTop;
  for (const CurvePanel& panel : panels) draw_panel(canvas, panel, times, x, top), top += kPanel + kBetween;
  for (double k = std::round(x.low / x.step); k * x.step <= x.high + x.step / 2; ++k) {
    const std::string text = fmt::format("{:.6g}", k * x.step + 0.0);
    const double at = kLeft + (k * x.step - x.low) / (x.high - x.low) * kWide;
    canvas.text({at - Canvas::text_width(text) / 2, top - kBetween + 20}, text, kLabel);
  }
  canvas.text({kLeft + kWide / 2 - 30, top - kBetween + 42}, "time (s)", kLabel);
  return canvas.png();
}

}  // namespace convoy
