// For tests: small scenes, and what their pixels say. Without EGL and a driver they fail: scripts/setup.sh --tests
// installs both.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <memory>
#include <vector>

#include "render/renderer.h"

namespace convoy::render::rig {

using Kind = Shape::Kind;
using Rgb8 = std::array<int, 3>;

inline constexpr Quat kAlongX{0.5, -0.5, 0.5, -0.5};  // an optical frame that looks along W's x, with z upwards
inline constexpr float kInfinity = std::numeric_limits<float>::infinity();

inline std::unique_ptr<Renderer> renderer(const RendererOptions& options = {}) {
  auto made = Renderer::make(options);
  if (!made) FAIL(made.error().message());
  return std::move(*made);
}

inline Shape shape(Kind kind, const Vec3& size, const Pose& X = {}, const Color& color = {200, 30, 20, 255}) {
  Shape out;
  out.kind = kind, out.size = size, out.X_LS = X, out.color = color;
  return out;
}

inline Item item(Shapes shapes, std::uint32_t instance, std::uint16_t category = 1, const Pose& X_WL = {}) {
  shapes.links = {{"base", Link::Base::kPlace, kNoPart, 0, {}, {}}};
  return {std::make_shared<Shapes>(std::move(shapes)), {X_WL}, instance, category};
}
inline Item item(const Shape& shape, std::uint32_t instance, std::uint16_t category = 1, const Pose& X_WL = {}) {
  Shapes shapes;
  shapes.shapes = {shape};
  return item(std::move(shapes), instance, category, X_WL);
}

inline View view(std::uint32_t width = 81, std::uint32_t height = 61, double focal = 60) {
  View out;
  out.X_WC = {{}, kAlongX};
  out.width = width, out.height = height, out.fx = out.fy = focal;
  out.cx = (width - 1) / 2.0, out.cy = (height - 1) / 2.0;
  out.channels = {true, true, true};
  return out;
}

inline Picture drawn(Renderer& by, const std::vector<Item>& items, const View& from,
                     const Environment& environment = {}) {
  auto made = by.render({items, environment, 0}, from);
  if (!made) FAIL(made.error().message());
  return std::move(*made);
}

inline std::size_t at(const Picture& p, std::uint32_t x, std::uint32_t y) { return std::size_t{y} * p.width + x; }
inline Rgb8 colour(const Picture& p, std::uint32_t x, std::uint32_t y) {
  const std::uint8_t* c = p.rgb.data() + 3 * at(p, x, y);
  return {c[0], c[1], c[2]};
}
inline int brightness(const Picture& p) {
  long sum = 0;
  for (const std::uint8_t c : p.rgb) sum += c;
  return static_cast<int>(sum / static_cast<long>(p.rgb.size()));
}
inline int difference(const Rgb8& a, const Rgb8& b) {
  return std::max({std::abs(a[0] - b[0]), std::abs(a[1] - b[1]), std::abs(a[2] - b[2])});
}

inline Environment weather(double hour, double fog = 0, double rain = 0, double wetness = 0, double clouds = 0) {
  Environment out;
  out.time_of_day = hour, out.fog = fog, out.rain = rain, out.wetness = wetness, out.cloudiness = clouds;
  return out;
}

}  // namespace convoy::render::rig
