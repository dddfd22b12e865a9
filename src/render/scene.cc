#include "render/scene.h"

#include <cmath>

#include "core/pose.h"

namespace convoy::render {

namespace {

constexpr double kFarthest = 1e8;  // m from the origin; doubles still resolve 15 nm there
constexpr double kMostDistortion = 100;

bool is_sound(const Pose& X) {
  const auto small = [](double v) { return std::fabs(v) <= kFarthest; };  // false for NaN
  const double n = length(X.q);
  return small(X.p.x) && small(X.p.y) && small(X.p.z) && n > 0.5 && n < 2;
}

bool within(double v, double low, double high) { return v >= low && v <= high; }

}  // namespace

std::string problem_of(const View& view) {
  if (view.width == 0 || view.height == 0) return "a picture needs at least one pixel";
  if (view.width > kMaxSide || view.height > kMaxSide)
    return "a picture of " + std::to_string(view.width) + " x " + std::to_string(view.height) +
           " pixels is too large: its sides may have " + std::to_string(kMaxSide);
  if (std::size_t{view.width} * view.height > kMaxPixels)
    return "a picture of " + std::to_string(view.width) + " x " + std::to_string(view.height) +
           " pixels is too large: it may have " + std::to_string(kMaxPixels);
  if (!is_sound(view.X_WC)) return "the camera's pose is no pose: not finite, too far away, or no unit quaternion";
  if (!within(view.fx, 1e-3, 1e6) || !within(view.fy, 1e-3, 1e6))
    return "the camera's focal lengths must be from 0.001 to 1000000 pixels";
  if (!within(view.cx, -1e6, 1e6) || !within(view.cy, -1e6, 1e6))
    return "the camera's principal point must be within 1000000 pixels";
  if (!within(view.near, 1e-4, 1e3)) return "the camera's near must be from 0.0001 to 1000 m";
  if (!(view.far > view.near) || view.far > 1e6)
    return "the camera's far must be beyond its near, and at most 1000000 m";
  const Lens& l = view.lens;
  for (const double k : {l.k1, l.k2, l.p1, l.p2, l.k3})
    if (!within(k, -kMostDistortion, kMostDistortion)) return "the lens' coefficients must be from -100 to 100";
  if (!view.channels.colour && !view.channels.depth && !view.channels.ids)
    return "no channel of the picture is asked for";
  return {};
}

std::string problem_of(const Scene& scene) {
  for (const Item& item : scene.items) {
    if (!item.shapes) return "an item has no shapes";
    if (item.X_WL.size() != item.shapes->links.size()) return "an item has not one pose a link";
    for (const Pose& X : item.X_WL)
      if (!is_sound(X)) return "a link's pose is no pose: not finite, too far away, or no unit quaternion";
  }
  const Environment& e = scene.environment;
  for (const double v : {e.fog, e.rain, e.wetness, e.cloudiness})
    if (!within(v, 0, 1)) return "fog, rain, wetness and cloudiness must be from 0 to 1";
  if (!within(e.time_of_day, 0, 24)) return "the time of day must be from 0 to 24 hours";
  if (!within(scene.time, -1e12, 1e12)) return "the scene's time is no time";
  return {};
}

}  // namespace convoy::render
