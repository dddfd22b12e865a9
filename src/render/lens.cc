#include "render/lens.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace convoy::render {

namespace {

struct Point {
  double x = 0, y = 0;  // on the plane 1 m ahead
};

Point bent(const Lens& l, const Point& p) {
  const double r2 = p.x * p.x + p.y * p.y, radial = 1 + r2 * (l.k1 + r2 * (l.k2 + r2 * l.k3));
  return {p.x * radial + 2 * l.p1 * p.x * p.y + l.p2 * (r2 + 2 * p.x * p.x),
          p.y * radial + l.p1 * (r2 + 2 * p.y * p.y) + 2 * l.p2 * p.x * p.y};
}

// Does the picture still grow outwards there? Beyond, polynomials fold back.
bool grows(const Lens& l, const Point& p) {
  const double r2 = p.x * p.x + p.y * p.y;
  return 1 + r2 * (3 * l.k1 + r2 * (5 * l.k2 + r2 * 7 * l.k3)) > 0;
}

// Newton's method, from the middle outwards so that it stays on the side that grows.
std::optional<Point> unbent(const Lens& l, const Point& to) {
  constexpr int kMost = 30;
  constexpr double kStep = 1e-6, kGood = 1e-9;
  Point p = grows(l, to) ? to : Point{};
  for (int i = 0; i < kMost; ++i) {
    const Point at = bent(l, p);
    const double ex = to.x - at.x, ey = to.y - at.y;
    if (std::fabs(ex) < kGood && std::fabs(ey) < kGood) return grows(l, p) ? std::optional(p) : std::nullopt;
    const Point dx = bent(l, {p.x + kStep, p.y}), dy = bent(l, {p.x, p.y + kStep});
    const double a = (dx.x - at.x) / kStep, b = (dy.x - at.x) / kStep, c = (dx.y - at.y) / kStep,
                 d = (dy.y - at.y) / kStep;
    const double det = a * d - b * c;
    if (!(std::fabs(det) > 1e-9)) return std::nullopt;
    double sx = (d * ex - b * ey) / det, sy = (a * ey - c * ex) / det;
    const double length = std::sqrt(sx * sx + sy * sy), most = 0.5;
    if (length > most) sx *= most / length, sy *= most / length;
    p = {p.x + sx, p.y + sy};
  }
  return std::nullopt;
}

Point direction(const View& v, double x, double y) { return {(x - v.cx) / v.fx, (y - v.cy) / v.fy}; }

}  // namespace

Result<View> wider(const View& view) {
  double left = 0, right = 0, top = 0, bottom = 0;
  bool any = false;
  const auto reach = [&](double x, double y) {
    const auto p = unbent(view.lens, direction(view, x, y));
    if (!p) return;
    left = any ? std::min(left, p->x) : p->x, right = any ? std::max(right, p->x) : p->x;
    top = any ? std::min(top, p->y) : p->y, bottom = any ? std::max(bottom, p->y) : p->y;
    any = true;
  };
  for (std::uint32_t x = 0; x < view.width; ++x) reach(x, 0), reach(x, view.height - 1);
  for (std::uint32_t y = 0; y < view.height; ++y) reach(0, y), reach(view.width - 1, y);
  // Where the border is beyond what the lens can see, what is farthest is inside.
  constexpr std::uint32_t kSteps = 64;
  for (std::uint32_t i = 0; i <= kSteps; ++i)
    for (std::uint32_t k = 0; k <= kSteps; ++k)
      reach((view.width - 1.0) * i / kSteps, (view.height - 1.0) * k / kSteps);
  if (!any) return fail(ErrorCode::kInvalid, "no light comes through the lens: its coefficients fold the picture");
  constexpr double kMargin = 2;  // pixels, to blend with
  const double x0 = std::floor(left * view.fx) - kMargin, x1 = std::ceil(right * view.fx) + kMargin;
  const double y0 = std::floor(top * view.fy) - kMargin, y1 = std::ceil(bottom * view.fy) + kMargin;
  if (x1 - x0 + 1 > kMaxSide || y1 - y0 + 1 > kMaxSide)
    return fail(ErrorCode::kInvalid, "the lens bends so much that a pinhole's picture would be too large");
  View out = view;
  out.lens = {};
  out.width = static_cast<std::uint32_t>(x1 - x0) + 1, out.height = static_cast<std::uint32_t>(y1 - y0) + 1;
  out.cx = -x0, out.cy = -y0;
  if (const std::string problem = problem_of(out); !problem.empty())
    return fail(ErrorCode::kInvalid, "the lens: " + problem);
  return out;
}

Picture resampled(const Picture& wide, const View& wide_view, const View& view) {
  Picture out;
  out.width = view.width, out.height = view.height;
  const std::size_t pixels = std::size_t{view.width} * view.height;
  if (view.channels.colour) out.rgb.assign(3 * pixels, 0);
  if (view.channels.depth) out.depth.assign(pixels, std::numeric_limits<float>::infinity());
  if (view.channels.ids) out.instance.assign(pixels, kNothing), out.category.assign(pixels, kNothing);
  for (std::size_t i = 0; i < pixels; ++i) {
    const auto p =
        unbent(view.lens, direction(view, static_cast<double>(i % view.width), static_cast<double>(i / view.width)));
    if (!p) continue;
    const double x = std::clamp(p->x * wide_view.fx + wide_view.cx, 0.0, wide.width - 1.001);
    const double y = std::clamp(p->y * wide_view.fy + wide_view.cy, 0.0, wide.height - 1.001);
    const std::size_t nearest = static_cast<std::size_t>(y + 0.5) * wide.width + static_cast<std::size_t>(x + 0.5);
    if (view.channels.depth) out.depth[i] = wide.depth[nearest];
    if (view.channels.ids) out.instance[i] = wide.instance[nearest], out.category[i] = wide.category[nearest];
    if (!view.channels.colour) continue;
    const auto x0 = static_cast<std::size_t>(x), y0 = static_cast<std::size_t>(y);
    const double fx = x - static_cast<double>(x0), fy = y - static_cast<double>(y0);
    const std::uint8_t* a = wide.rgb.data() + 3 * (y0 * wide.width + x0);
    const std::uint8_t* b = a + std::size_t{3} * wide.width;
    for (std::size_t k = 0; k < 3; ++k) {
      const double upper = a[k] + fx * (a[k + 3] - a[k]), lower = b[k] + fx * (b[k + 3] - b[k]);
      out.rgb[3 * i + k] = static_cast<std::uint8_t>(upper + fy * (lower - upper) + 0.5);
    }
  }
  return out;
}

}  // namespace convoy::render
