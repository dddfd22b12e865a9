#include "world/static_map.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/approx.h"
#include "core/math.h"
#include "core/random.h"

namespace static_map_test {

using namespace convoy;

namespace {

MapData cluttered(std::uint32_t width, std::uint32_t height, double share, std::uint64_t seed) {
  MapData data{.width = width, .height = height, .resolution = 0.05, .origin = {-1.3, 2.7, 0.4}, .cells = {}};
  data.cells.assign(std::size_t{width} * height, 0);
  Random rng{stream_key(seed, 0, "map")};
  for (auto& cell : data.cells) cell = rng.uniform() < share ? static_cast<std::uint8_t>(1 + rng.below(2)) : 0;
  return data;
}

StaticMap made(MapData data) {
  auto map = StaticMap::make(std::move(data));
  REQUIRE(map.has_value());
  return *std::move(map);
}

// Distance between the borders of two cells, in cells squared.
std::int64_t border_distance(std::int64_t dc, std::int64_t dr) {
  dc = std::max<std::int64_t>(0, std::abs(dc) - 1), dr = std::max<std::int64_t>(0, std::abs(dr) - 1);
  return dc * dc + dr * dr;
}

// Exact overlap of a convex polygon with an open cell, by clipping the polygon to the cell: the area that is left.
double area_in_cell(std::vector<Vec2> polygon, double left, double bottom, double size) {
  const auto clip = [&](double a, double b, double c) {  // keep a x + b y <= c
    std::vector<Vec2> out;
    for (std::size_t i = 0; i < polygon.size(); ++i) {
      const Vec2 p = polygon[i], q = polygon[(i + 1) % polygon.size()];
      const double dp = a * p.x + b * p.y - c, dq = a * q.x + b * q.y - c;
      if (dp <= 0) out.push_back(p);
      if ((dp < 0 && dq > 0) || (dp > 0 && dq < 0)) {
        const double t = dp / (dp - dq);
        out.push_back({p.x + t * (q.x - p.x), p.y + t * (q.y - p.y)});
      }
    }
    polygon = out;
  };
  clip(-1, 0, -left), clip(1, 0, left + size), clip(0, -1, -bottom), clip(0, 1, bottom + size);
  double twice = 0;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Vec2 p = polygon[i], q = polygon[(i + 1) % polygon.size()];
    twice += p.x * q.y - p.y * q.x;
  }
  return twice / 2;
}

// The plain walk from cell to cell (Amanatides and Woo 1987).
double walked(const StaticMap& map, double x, double y, double dx, double dy, double max_range) {
  const Vec2 p = map.to_map(x, y), axis = map.x_axis();
  const double ux = axis.x * dx + axis.y * dy, uy = axis.x * dy - axis.y * dx, res = map.data().resolution;
  auto col = static_cast<std::int64_t>(std::floor(p.x * (1 / res)));
  auto row = static_cast<std::int64_t>(std::floor(p.y * (1 / res)));
  const double inverse_x = 1 / ux, inverse_y = 1 / uy;
  double t = 0;
  while (t <= max_range) {
    if (map.solid_cell(col, row)) return t;
    const double tx = ux == 0 ? 1e30 : (static_cast<double>(col + (ux > 0 ? 1 : 0)) * res - p.x) * inverse_x;
    const double ty = uy == 0 ? 1e30 : (static_cast<double>(row + (uy > 0 ? 1 : 0)) * res - p.y) * inverse_y;
    if (tx <= ty) col += ux > 0 ? 1 : -1, t = tx;
    else row += uy > 0 ? 1 : -1, t = ty;
  }
  return max_range;
}

}  // namespace

TEST_CASE("bad map data is refused, and no cells at all make an empty map") {
  const MapData good = cluttered(8, 5, 0.2, 1);
  const auto refused = [&](auto spoil) {
    MapData data = good;
    spoil(data);
    return !StaticMap::make(data).has_value();
  };

  CHECK(StaticMap::make(good).has_value());
  CHECK(refused([](MapData& d) { d.width = 0; }));
  CHECK(refused([](MapData& d) { d.width = kMaxMapSide + 1; }));
  CHECK(refused([](MapData& d) { d.width = d.height = kMaxMapSide; }));
  CHECK(refused([](MapData& d) { d.cells.pop_back(); }));
  CHECK(refused([](MapData& d) { d.cells[7] = 3; }));
  CHECK(refused([](MapData& d) { d.resolution = 0; }));
  CHECK(refused([](MapData& d) { d.resolution = -0.05; }));
  CHECK(refused([](MapData& d) { d.resolution = std::numeric_limits<double>::infinity(); }));
  CHECK(refused([](MapData& d) { d.resolution = std::numeric_limits<double>::quiet_NaN(); }));
  CHECK(refused([](MapData& d) { d.origin.yaw = std::numeric_limits<double>::quiet_NaN(); }));

  const StaticMap empty = made({});
  CHECK(empty.empty());
  CHECK(empty.clearance(5, 5) > 1e20);
  CHECK(empty.ray(0, 0, 1, 0, 7) == 7);
  const Vec2 corners[3] = {{0, 0}, {1, 0}, {0, 1}};
  CHECK_FALSE(empty.touches(corners, 3));
}

TEST_CASE("clearance is the distance between cell borders, the outside being solid, and never more") {
  for (double share : {0.0, 0.003, 0.05, 0.4}) {
    const StaticMap map = made(cluttered(47, 31, share, 5));
    const double res = map.data().resolution;
    for (std::int64_t row = 0; row < 31; ++row)
      for (std::int64_t col = 0; col < 47; ++col) {
        std::int64_t least = map.solid_cell(col, row) ? 0 : 1'000'000;
        for (std::int64_t r = -1; r <= 31; ++r)
          for (std::int64_t c = -1; c <= 47; ++c)
            if (map.solid_cell(c, r)) least = std::min(least, border_distance(c - col, r - row));
        const double exact = std::sqrt(static_cast<double>(least)) * res;
        const double found =
            map.clearance((static_cast<double>(col) + 0.3) * res, (static_cast<double>(row) + 0.9) * res);
        REQUIRE(found <= exact);
        REQUIRE(found >= exact * (1 - 1e-6));
      }
  }
  const StaticMap map = made(cluttered(10, 10, 0, 1));
  CHECK(map.clearance(-0.001, 0.2) == 0);
  CHECK(map.clearance(0.2, 0.5001) == 0);
  CHECK(map.clearance(std::numeric_limits<double>::quiet_NaN(), 0.2) == 0);
}

TEST_CASE("a ray meets what a plain walk from cell to cell meets, to the bit") {
  for (double share : {0.0002, 0.01, 0.2}) {
    const StaticMap map = made(cluttered(301, 203, share, 11));
    Random rng{stream_key(2, 0, "rays")};
    int hits = 0;
    for (int i = 0; i < 20'000; ++i) {
      Vec2 m{rng.uniform(0, 15), rng.uniform(0, 10)};
      double angle = rng.uniform(0, 2 * math::kPi);
      if (i % 5 == 0) angle = static_cast<double>(rng.below(8)) * math::kPi / 4 + map.yaw();  // along lines, diagonals
      if (i % 7 == 0) m = {static_cast<double>(rng.below(300)) * 0.05, static_cast<double>(rng.below(200)) * 0.05};
      const Vec2 w = map.to_world(m.x, m.y);
      const Vec2 at = map.to_map(w.x, w.y);
      if (at.x < 0 || at.y < 0) continue;
      double s, c;
      math::sincos(angle, s, c);
      const double expected = walked(map, w.x, w.y, c, s, 6.5);
      const double found = map.ray(w.x, w.y, c, s, 6.5);
      REQUIRE(found == expected);
      hits += found < 6.5;
    }
    CHECK(hits > 1000);
  }
}

TEST_CASE("a ray from a solid cell or from outside has length 0, and the border of the grid stops one") {
  MapData data = cluttered(20, 20, 0, 1);
  data.origin = {};
  data.cells[5 * 20 + 5] = 1;
  const StaticMap map = made(data);

  CHECK(map.ray(0.27, 0.27, 1, 0, 5) == 0);
  CHECK(map.ray(-3, 0.5, 1, 0, 5) == 0);
  CHECK(map.ray(0.5, 0.9, 1, 0, 5) == approx(0.5));
  CHECK(map.ray(0.1, 0.27, 1, 0, 5) == approx(0.15));
  CHECK(map.ray(0.1, 0.27, 1, 0, 0.1) == 0.1);
}

TEST_CASE("a polygon touches exactly when clipping it to the solid cells leaves something") {
  const StaticMap map = made(cluttered(60, 60, 0.02, 3));
  Random rng{stream_key(4, 0, "polygons")};
  int touching = 0, free = 0;
  for (int i = 0; i < 4000; ++i) {
    const double x = rng.uniform(-0.1, 3.1), y = rng.uniform(-0.1, 3.1), r = rng.uniform(0.02, 0.3);
    std::vector<Vec2> corners;
    const int n = 3 + static_cast<int>(rng.below(6));
    double start = rng.uniform(0, 6);
    for (int k = 0; k < n; ++k) {
      double s, c;
      math::sincos(start + 2 * math::kPi * k / n, s, c);
      corners.push_back({x + r * c, y + r * s});
    }
    double most = 0;
    std::size_t count = 0;
    for (std::int64_t row = -9; row < 69; ++row)
      for (std::int64_t col = -9; col < 69; ++col)
        if (map.solid_cell(col, row)) {
          const double area =
              area_in_cell(corners, static_cast<double>(col) * 0.05, static_cast<double>(row) * 0.05, 0.05);
          most = std::max(most, area);
          count += area > 1e-15;
        }
    if (most > 1e-15 || most < 1e-18) {
      REQUIRE(map.touches(corners.data(), corners.size()) == (most > 1e-15));
      if (most < 1e-18) REQUIRE(map.solid_cells_under(corners.data(), corners.size()) == 0);
      else REQUIRE(map.solid_cells_under(corners.data(), corners.size()) >= count);
    }
    (most > 1e-15 ? touching : free)++;
  }
  CHECK(touching > 500);
  CHECK(free > 500);
}

TEST_CASE("a painted box covers the cells under it and no others, a cylinder too") {
  MapData data{.width = 40, .height = 40, .resolution = 0.1, .origin = {-2, -2, 0}, .cells = Bytes(1600, 0)};
  paint(data, BoxShape{.x = 0.5, .y = 0, .yaw = 0, .length = 1, .width = 0.4});
  const auto painted = [&] { return std::count(data.cells.begin(), data.cells.end(), 1); };
  CHECK(painted() == 40);
  CHECK(data.cells[20 * 40 + 20] == 1);
  CHECK(data.cells[20 * 40 + 19] == 0);
  CHECK(data.cells[22 * 40 + 20] == 0);

  data.cells.assign(1600, 0);
  paint(data, BoxShape{.x = 0, .y = 0, .yaw = math::kPi / 4, .length = 1, .width = 1});
  CHECK(data.cells[20 * 40 + 26] == 1);
  CHECK(data.cells[24 * 40 + 24] == 0);

  data.cells.assign(1600, 0);
  paint(data, CylinderShape{.x = 0.05, .y = 0.05, .radius = 0.04});
  CHECK(painted() == 1);
  paint(data, CylinderShape{.x = 5, .y = 5, .radius = 5});
  CHECK(painted() > 1);
  data.cells.assign(1600, 0);
  paint(data, CylinderShape{.x = 50, .y = 5, .radius = 4});
  paint(data, BoxShape{.x = -50});
  CHECK(painted() == 0);
}

TEST_CASE("world and map coordinates are each other's inverse") {
  const StaticMap map = made(cluttered(4, 4, 0, 1));
  const Vec2 w = map.to_world(0.3, -0.7), m = map.to_map(w.x, w.y);
  CHECK(m.x == approx(0.3));
  CHECK(m.y == approx(-0.7));
  const Vec2 origin = map.to_world(0, 0);
  CHECK(origin.x == -1.3);
  CHECK(origin.y == 2.7);
}

}  // namespace static_map_test
