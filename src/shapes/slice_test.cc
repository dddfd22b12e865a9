// Maps drawn of scenes.
#include "shapes/slice.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>

#include "core/approx.h"
#include "core/pose.h"
#include "core/random.h"
#include "world/state.h"

namespace slice_test {

using namespace convoy;

namespace {

MapData empty_map(std::uint32_t width, std::uint32_t height, double resolution, MapOrigin origin) {
  MapData out;
  out.width = width, out.height = height, out.resolution = resolution, out.origin = origin;
  out.cells.assign(std::size_t{width} * height, 0);
  return out;
}

std::size_t occupied(const MapData& map) {
  return static_cast<std::size_t>(std::count(map.cells.begin(), map.cells.end(), 1));
}

}  // namespace

TEST_CASE("a map drawn of a map's world has its cells, the unknown ones too, however the map is turned") {
  Random random{3};
  for (const MapOrigin origin : {MapOrigin{-3, -2, 0}, {5, 7, 0.7}, {-100, 40, -2}}) {
    MapData map = empty_map(90, 60, 0.05, origin);
    for (auto& cell : map.cells) cell = static_cast<std::uint8_t>(random.below(9) == 0 ? 1 + random.below(2) : 0);
    for (std::size_t i = 0; i < 30 * 90; ++i) map.cells[i] = 1;  // a thick wall
    const Pose X_WM{{origin.x, origin.y, 0}, from_yaw(origin.yaw)};
    const Vec3 there = (X_WM * Pose{{2, 2, 0}, {}}).p;
    const BoxShape box{there.x, there.y, 0.3, 0.7, 0.4, 0.9};
    const CylinderShape post{there.x + 0.8, there.y, 0.3, 0.1};  // lower than the height
    paint(map, box);
    MapData with_post = map;
    paint(with_post, post);
    const Scenery scenery{&with_post, {&box, 1}, {&post, 1}, 2.5, false, nullptr};

    const MapData drawn = *map_of_scene(scenery, {}, 0.2, 0);

    std::size_t under = 0;  // what only the post was painted onto is free at that height
    for (std::size_t i = 0; i < map.cells.size(); ++i) {
      const bool by_post = with_post.cells[i] == 1 && drawn.cells[i] == 0;
      under += by_post;
      if (!by_post) REQUIRE(drawn.cells[i] == with_post.cells[i]);
    }
    CHECK(under > 20);
    CHECK(occupied(*map_of_scene(scenery, {}, 3, 0)) == 0);  // above all walls
  }
}

TEST_CASE("finer cells cover the same ground") {
  MapData map = empty_map(40, 30, 0.1, {0, 0, 0});
  const BoxShape box{2, 1.5, 0, 1, 0.5, 1};
  paint(map, box);
  const MapData fine = *map_of_scene({&map, {&box, 1}, {}, 2.5, false, nullptr}, {}, 0.5, 0.025);
  CHECK(fine.width == 160);
  CHECK(fine.height == 120);
  CHECK(occupied(fine) == 40 * 20);
  CHECK_FALSE(map_of_scene({&map, {}, {}, 2.5, false, nullptr}, {}, 0.5, 0.00001));
  CHECK_FALSE(map_of_scene({}, {}, 0.5, 0));
}

TEST_CASE("a mesh is cut where it is, and filled: the same cells as a box of that form") {
  Random random{4};
  for (int i = 0; i < 50; ++i) {
    Shapes shapes;
    shapes.links.resize(1);
    const Vec3 half{0.75, 0.5, 0.25};
    Mesh cube;
    for (int c = 0; c < 8; ++c)
      add_corner(cube, c & 1 ? half.x : -half.x, c & 2 ? half.y : -half.y, c & 4 ? half.z : -half.z);
    for (const auto& t : {std::array<std::uint32_t, 3>{0, 2, 3},
                          {0, 3, 1},
                          {4, 5, 7},
                          {4, 7, 6},
                          {0, 1, 5},
                          {0, 5, 4},
                          {2, 6, 7},
                          {2, 7, 3},
                          {0, 4, 6},
                          {0, 6, 2},
                          {1, 3, 7},
                          {1, 7, 5}})
      add_triangle(cube, t[0], t[1], t[2]);
    shapes.meshes = {cube};
    Shape shape;
    shape.kind = Shape::Kind::kMesh, shape.data = 0;
    shapes.shapes = {shape};
    const double yaw = i == 0 ? 0 : random.uniform(0, 6);
    const Pose X{{i == 0 ? 2 : random.uniform(-1, 4), i == 0 ? 1.5 : random.uniform(-1, 4), 0.25}, from_yaw(yaw)};
    MapData by_mesh = empty_map(60, 60, 0.05, {0, 0, 0}), by_box = by_mesh;

    paint_slice(by_mesh, shapes, {&X, 1}, 0.1);
    paint(by_box, BoxShape{X.p.x, X.p.y, yaw, 2 * half.x, 2 * half.y, 2 * half.z});

    CHECK(by_mesh == by_box);
    if (i == 0) CHECK(occupied(by_mesh) == 30 * 20);  // its edges lie on those of cells
    MapData above = empty_map(60, 60, 0.05, {0, 0, 0});
    paint_slice(above, shapes, {&X, 1}, 0.6);
    CHECK(occupied(above) == 0);
  }
}

TEST_CASE("a ball is a disc of the height's radius, a leaning box its section, and a hidden shape nothing") {
  Shapes shapes;
  shapes.links.resize(1);
  Shape ball;
  ball.kind = Shape::Kind::kSphere, ball.size = {1, 0, 0}, ball.X_LS.p = {1.5, 1.5, 0.8};
  shapes.shapes = {ball};
  const std::vector<Pose> here(1);
  MapData map = empty_map(300, 300, 0.01, {0, 0, 0});
  paint_slice(map, shapes, here, 0.2);
  CHECK(static_cast<double>(occupied(map)) * 1e-4 == approx(3.14159 * 0.64).epsilon(0.03));

  shapes.shapes[0].kind = Shape::Kind::kBox, shapes.shapes[0].size = {0.5, 0.5, 0.5};
  shapes.shapes[0].X_LS = {{1.5, 1.5, 0}, unit({1, 0.41421356237, 0, 0})};  // on an edge: 45 degrees about x
  map = empty_map(300, 300, 0.01, {0, 0, 0});
  paint_slice(map, shapes, here, 0);
  CHECK(static_cast<double>(occupied(map)) * 1e-4 == approx(1.41421).epsilon(0.03));

  shapes.shapes[0].visible = shapes.shapes[0].solid = false;
  map = empty_map(300, 300, 0.01, {0, 0, 0});
  paint_slice(map, shapes, here, 0);
  CHECK(occupied(map) == 0);
}

TEST_CASE("terrain is solid below its surface") {
  Shapes shapes;
  shapes.links.resize(1);
  Terrain slope;
  slope.columns = slope.rows = 2, slope.half_x = slope.half_y = 1, slope.top = 2;
  for (const float h : {0.0f, 1.0f, 0.0f, 1.0f}) Writer(slope.heights).raw(&h, 4);
  shapes.terrains = {slope};
  Shape shape;
  shape.kind = Shape::Kind::kTerrain, shape.data = 0;
  shapes.shapes = {shape};
  const std::vector<Pose> here(1);
  MapData map = empty_map(40, 40, 0.05, {-1, -1, 0});
  paint_slice(map, shapes, here, 1.5 - 1e-7);  // it is that high at x = 0.5, but for rounding
  for (std::size_t row = 0; row < 40; ++row)
    for (std::size_t col = 0; col < 40; ++col)
      CHECK(map.cells[row * 40 + col] == (col >= 30 ? 1 : col == 29 ? map.cells[row * 40 + 29] : 0));
}

}  // namespace slice_test
