// Depth, pixel by pixel, against rays that meet the exact shapes.
#include <doctest/doctest.h>

#include <cmath>

#include "core/math.h"
#include "core/pose.h"
#include "core/random.h"
#include "render/picture_rig.h"
#include "sensing/intersect.h"
#include "shapes/tessellate.h"

namespace depth_test {

using namespace convoy;
using namespace convoy::render;
using namespace convoy::render::rig;

namespace {

// m along the optical axis to the nearest thing, as rays find it; infinite: none.
double depth_by_ray(const std::vector<Item>& items, const View& v, double x, double y) {
  const Vec3 in_c{(x - v.cx) / v.fx, (y - v.cy) / v.fy, 1};
  const Vec3 way = rotate(unit(v.X_WC.q), in_c);
  const double length = norm(way);
  double best = std::numeric_limits<double>::infinity();
  for (const Item& one : items)
    for (const Shape& s : one.shapes->shapes) {
      const ShapeFrame frame(one.X_WL[s.link] * s.X_LS);
      const Line line = frame.line(v.X_WC.p, (1 / length) * way, v.near * length);
      double range = std::numeric_limits<double>::infinity();
      if (s.kind == Kind::kMesh || s.kind == Kind::kTerrain) {
        const TriangleLine by(line);
        for (const auto& triangle : surface_of(s, *one.shapes)) range = std::min(range, by.range_of(triangle));
      } else {
        range = range_of(line, s.kind, s.size);
      }
      best = std::min(best, range / length);
    }
  return best <= v.far ? best : std::numeric_limits<double>::infinity();
}

// Every pixel's depth is that of a ray through its middle, but for pixels that have an edge nearby.
struct Checked {
  std::size_t hits = 0, checked = 0;  // pixels that show something; of these without an edge beside them
};
Checked check_depth(Renderer& by, const std::vector<Item>& items, const View& v) {
  const Picture picture = drawn(by, items, v);
  std::vector<double> ray(std::size_t{v.width} * v.height);
  for (std::uint32_t y = 0; y < v.height; ++y)
    for (std::uint32_t x = 0; x < v.width; ++x) ray[at(picture, x, y)] = depth_by_ray(items, v, x, y);
  Checked out;
  double worst = 0;
  for (std::uint32_t y = 1; y + 1 < v.height; ++y)
    for (std::uint32_t x = 1; x + 1 < v.width; ++x) {
      const std::size_t i = at(picture, x, y);
      out.hits += std::isfinite(ray[i]);
      // Over a flat side 1 / depth is linear in the picture; what is round bends little between neighbours.
      const auto bends = [&](std::size_t a, std::size_t b) {
        return std::isfinite(ray[a]) != std::isfinite(ray[i]) || std::isfinite(ray[b]) != std::isfinite(ray[i]) ||
               std::fabs(1 / ray[a] + 1 / ray[b] - 2 / ray[i]) > 0.004 / ray[i];
      };
      if (bends(i - 1, i + 1) || bends(i - v.width, i + v.width)) continue;
      const bool there = std::isfinite(ray[i]);
      CHECK(std::isfinite(picture.depth[i]) == there);
      CHECK((picture.instance[i] != kNothing) == there);
      if (!there) continue;
      ++out.checked;
      worst = std::max(worst, std::fabs(static_cast<double>(picture.depth[i]) - ray[i]));
    }
  CHECK(worst < 0.001);
  return out;
}

Mesh ball_of_triangles(std::uint32_t around) {
  return triangles_of(shape(Kind::kSphere, {0.6, 0, 0}), {}, {.around = around});
}

}  // namespace

TEST_CASE("depth is that of rays, for each kind of shape, near and far from the origin") {
  const auto dut = renderer();
  Random random{3};
  Terrain hill;
  hill.columns = 7, hill.rows = 5, hill.half_x = 0.8, hill.half_y = 0.6, hill.top = 0.5;
  for (std::uint32_t i = 0; i < 35; ++i) {
    const auto h = static_cast<float>(i * 5 % 7) / 7;
    Writer(hill.heights).raw(&h, 4);
  }
  for (const Vec3& where : {Vec3{}, Vec3{123'456.7, -98'765.4, 30}}) {
    for (const Kind kind : {Kind::kPlane, Kind::kSphere, Kind::kCapsule, Kind::kEllipsoid, Kind::kCylinder, Kind::kBox,
                            Kind::kMesh, Kind::kTerrain}) {
      CAPTURE(static_cast<int>(kind));
      Checked sum;
      for (int i = 0; i < 3; ++i) {
        Shapes shapes;
        const bool thin = kind == Kind::kSphere || kind == Kind::kCapsule || kind == Kind::kCylinder;
        const Vec3 size = kind == Kind::kSphere ? Vec3{0.7, 0, 0} : thin ? Vec3{0.5, 0.5, 0} : Vec3{0.6, 0.5, 0.4};
        shapes.shapes = {shape(kind, size)};
        if (kind == Kind::kMesh) shapes.meshes = {ball_of_triangles(i == 2 ? 96 : 8)}, shapes.shapes[0].data = 0;
        if (kind == Kind::kTerrain) shapes.terrains = {hill}, shapes.shapes[0].data = 0;
        const Quat turn =
            unit({random.uniform(0.3, 1), random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)});
        View v = view(81, 81, 60 * (1 + i));
        v.X_WC.p = where;
        const Checked one = check_depth(*dut, {item(shapes, 1, 1, {where + Vec3{2.2 * (1 + i), 0.1, 0.1}, turn})}, v);
        sum.hits += one.hits, sum.checked += one.checked;
      }
      CHECK(sum.hits > 900);
      CHECK(3 * sum.checked > 2 * sum.hits);
    }
  }
}

TEST_CASE("the ground is as far as rays say up to the horizon, and ends at far in depth and ids alone") {
  const auto dut = renderer();
  View v = view(121, 91, 90);
  v.X_WC = {{120'000, 5, 0.4}, kAlongX * from_axis_angle({1, 0, 0}, -0.2)};
  v.far = 50;
  const std::vector<Item> ground{item(shape(Kind::kPlane, {}), 9)};

  const Picture p = drawn(*dut, ground, v);

  for (std::uint32_t y = 0; y < v.height; ++y) {
    const double z = depth_by_ray(ground, v, 60, y);
    CAPTURE(y);
    if (std::isinf(z)) CHECK(p.depth[at(p, 60, y)] == kInfinity);
    else CHECK(p.depth[at(p, 60, y)] == doctest::Approx(z).epsilon(2e-6));
    CHECK(p.instance[at(p, 60, y)] == (std::isinf(z) ? kNothing : 9));
  }
  v.far = 1000;
  CHECK(drawn(*dut, ground, v).rgb == p.rgb);
}

TEST_CASE("inside of a shape a camera sees its inner side, as rays do") {
  const auto dut = renderer();
  for (const Kind kind : {Kind::kSphere, Kind::kCapsule, Kind::kCylinder, Kind::kBox, Kind::kEllipsoid}) {
    CAPTURE(static_cast<int>(kind));
    const Checked all =
        check_depth(*dut, {item(shape(kind, {3, 3, 3}), 1, 1, {{0.5, 0.4, -0.3}, from_yaw(0.3)})}, view(61, 61, 50));
    CHECK(all.hits == 59 * 59);
    CHECK(5 * all.checked > 4 * all.hits);
  }
}

TEST_CASE("what lies on the ground is seen whole, however far away, and so is what ends level with it") {
  const auto dut = renderer();
  for (const double away : {0.5, 3.0, 30.0, 300.0}) {
    CAPTURE(away);
    View v = view(101, 101, 80);
    v.X_WC = {{-away, 0.1, 0.7 * away}, kAlongX * from_axis_angle({1, 0, 0}, -math::atan(0.7))};
    const double half = 0.2 * away;
    std::vector<Item> items{item(shape(Kind::kPlane, {}), 1),
                            item(shape(Kind::kPlane, {half, half, 0}, {{0, 1.5 * half, 0}, {}}), 2),
                            item(shape(Kind::kBox, {half, half, 1}, {{0, -1.5 * half, -1}, {}}), 3)};
    for (const Item& one : {items[1], items[2]}) {
      const Picture alone = drawn(*dut, {one}, v), all = drawn(*dut, items, v);
      std::size_t seen = 0;
      for (std::uint32_t y = 1; y + 1 < v.height; ++y)
        for (std::uint32_t x = 1; x + 1 < v.width; ++x) {
          bool whole = true;
          for (const std::uint32_t k : {y - 1, y, y + 1})
            for (std::uint32_t j = x - 1; j <= x + 1; ++j) whole &= alone.instance[at(alone, j, k)] == one.instance;
          // Of the box the upper side alone is above the ground.
          const Vec3 way = rotate(v.X_WC.q, {(x - v.cx) / v.fx, (y - v.cy) / v.fy, 1});
          const double z = v.X_WC.p.z + static_cast<double>(alone.depth[at(alone, x, y)]) * way.z;
          if (!whole || std::fabs(z) > 1e-3 * away) continue;
          ++seen;
          CHECK(all.instance[at(all, x, y)] == one.instance);
        }
      CHECK(seen > 150);
    }
  }
}

}  // namespace depth_test
