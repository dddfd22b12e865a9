#include <cmath>

#include "core/hash.h"
#include "core/math.h"
#include "core/pose.h"
#include "render/renderer.h"

namespace convoy::render {

namespace {

Texture checkers(bool cube) {
  constexpr std::uint32_t kSide = 8;
  Texture out{kSide, cube ? 6 * kSide : kSide, 3, cube, {}};
  for (std::uint32_t y = 0; y < out.height; ++y)
    for (std::uint32_t x = 0; x < kSide; ++x)
      for (std::uint32_t k = 0; k < 3; ++k)
        out.pixels.push_back((x / 4 + y / 4) % 2 ? 240 : static_cast<std::uint8_t>(40 * k));
  return out;
}

Mesh pyramid() {
  Mesh out;
  for (const Vec3& p : {Vec3{-1, -1, 0}, Vec3{1, -1, 0}, Vec3{1, 1, 0}, Vec3{-1, 1, 0}, Vec3{0, 0, 1.4}})
    add_corner(out, p.x, p.y, p.z);
  for (std::uint32_t i = 0; i < 4; ++i) {
    add_triangle(out, i, (i + 1) % 4, 4);
    for (const float uv : {0.f, 1.f, 1.f, 1.f, 0.5f, 0.f}) Writer(out.texture).raw(&uv, sizeof uv);
  }
  return out;
}

Terrain hills() {
  Terrain out;
  out.columns = 9, out.rows = 7, out.half_x = 2, out.half_y = 1.5, out.top = 0.8;
  for (std::uint32_t i = 0; i < out.columns * out.rows; ++i) {
    const auto h = static_cast<float>(i * 37 % 11) / 11;
    Writer(out.heights).raw(&h, sizeof h);
  }
  return out;
}

Shapes everything() {
  Shapes out;
  out.links = {{"world", Link::Base::kPlace, kNoPart, 0, {}, {}}};
  out.textures = {checkers(false), checkers(true)};
  Material tiles, wrapped, metal, lamp;
  tiles.texture = 0, tiles.uniform = true, wrapped.texture = 1;
  metal.metallic = 1, metal.roughness = 0.2, lamp.emission = 0.8;
  out.materials = {tiles, wrapped, metal, lamp};
  out.meshes = {pyramid()}, out.terrains = {hills()};
  const auto add = [&](Shape::Kind kind, const Vec3& size, const Vec3& p, const Color& color,
                       std::uint32_t material = kNoPart, std::uint32_t data = kNoPart) {
    Shape shape;
    shape.kind = kind, shape.size = size, shape.color = color, shape.material = material, shape.data = data;
    shape.X_LS = {p, kind == Shape::Kind::kPlane ? Quat{} : unit({1, 0.2, -0.1, 0.3})};
    out.shapes.push_back(shape);
  };
  using Kind = Shape::Kind;
  add(Kind::kPlane, {}, {}, {150, 150, 150, 255});
  add(Kind::kPlane, {2, 1, 0}, {3, 1, 0}, {255, 255, 255, 255}, 0);
  add(Kind::kBox, {0.4, 0.3, 0.5}, {3, -1.5, 0.7}, {200, 60, 40, 255});
  add(Kind::kBox, {0.3, 0.3, 0.3}, {3.5, 0.2, 0.5}, {255, 255, 255, 255}, 1);
  add(Kind::kSphere, {0.4, 0, 0}, {4, 1.4, 0.6}, {220, 220, 230, 255}, 2);
  add(Kind::kEllipsoid, {0.5, 0.2, 0.3}, {4.5, -0.6, 1.2}, {60, 160, 90, 255});
  add(Kind::kCapsule, {0.2, 0.3, 0}, {3.2, 0.9, 1.1}, {70, 90, 200, 255}, 3);
  add(Kind::kCylinder, {0.3, 0.4, 0}, {5, 0.6, 1}, {230, 200, 60, 255}, 1);
  add(Kind::kMesh, {}, {6, -2, 0.4}, {255, 255, 255, 255}, 0, 0);
  add(Kind::kTerrain, {}, {8, 2, 0}, {110, 120, 90, 255}, kNoPart, 0);
  add(Kind::kBox, {0.05, 0.6, 0.6}, {2.5, -0.2, 0.8}, {120, 180, 220, 100});
  return out;
}

}  // namespace

Result<std::uint64_t> fingerprint() {
  Item item{std::make_shared<Shapes>(everything()), {Pose{}}, 7, 3};
  View view;
  view.X_WC = {{0, 0, 1.3},
               unit({0.5, -0.5, 0.5, -0.5}) * from_axis_angle({1, 0, 0}, -0.12)};  // along +x, a little down
  view.width = 160, view.height = 120, view.fx = view.fy = 130, view.cx = 79.5, view.cy = 59.5;
  view.channels = {true, true, true};
  Environment fair, foul;
  fair.time_of_day = 15, fair.cloudiness = 0.4;
  foul.time_of_day = 20, foul.fog = 0.3, foul.rain = 0.6, foul.wetness = 0.8, foul.cloudiness = 0.7;
  std::uint64_t out = 0;
  for (const Quality quality : {Quality::kPlain, Quality::kNice}) {
    auto renderer = Renderer::make({.quality = quality, .shadows = RendererOptions::Shadows::kOn});
    if (!renderer) return tl::unexpected(renderer.error());
    for (const Environment& environment : {fair, foul}) {
      const auto made = (*renderer)->render({std::span(&item, 1), environment, 3}, view);
      if (!made) return tl::unexpected(made.error());
      Bytes bytes = made->rgb;
      Writer w(bytes);
      w.raw(made->depth.data(), made->depth.size() * sizeof(float));
      w.raw(made->instance.data(), made->instance.size() * sizeof(std::uint32_t));
      w.raw(made->category.data(), made->category.size() * sizeof(std::uint32_t));
      out = chain(out, hash64(bytes));
    }
  }
  return out;
}

}  // namespace convoy::render
