// Shapes as triangles.
#include "shapes/tessellate.h"

#include <doctest/doctest.h>

#include <map>

#include "core/approx.h"
#include "core/math.h"
#include "core/pose.h"
#include "shapes/testing.h"

namespace tessellate_test {

using namespace convoy;

namespace {

Shape shape(Shape::Kind kind, const Vec3& size) {
  Shape out;
  out.kind = kind, out.size = size;
  return out;
}

// Does each edge belong to two triangles, once in each direction?
bool is_closed(const Mesh& mesh) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, int> edges;
  for (std::size_t i = 0; i < mesh.triangle_count(); ++i) {
    const auto t = mesh.triangle(i);
    for (std::size_t k = 0; k < 3; ++k) ++edges[{t[k], t[(k + 1) % 3]}];
  }
  for (const auto& [edge, count] : edges)
    if (count != 1 || edges.count({edge.second, edge.first}) == 0) return false;
  return !edges.empty();
}

}  // namespace

TEST_CASE("solid shapes are closed, turned outwards, and of nearly their volume") {
  const double pi = math::kPi;
  struct Case {
    Shape shape;
    double volume;
  };
  for (const Case& c : {Case{shape(Shape::Kind::kSphere, {0.5, 0, 0}), 4 * pi / 3 * 0.125},
                        {shape(Shape::Kind::kEllipsoid, {0.5, 1, 2}), 4 * pi / 3},
                        {shape(Shape::Kind::kCylinder, {0.5, 1, 0}), pi * 0.25 * 2},
                        {shape(Shape::Kind::kCapsule, {0.5, 1, 0}), pi * 0.25 * 2 + 4 * pi / 3 * 0.125},
                        {shape(Shape::Kind::kBox, {0.5, 1, 2}), 8}}) {
    CAPTURE(static_cast<int>(c.shape.kind));
    const Mesh mesh = triangles_of(c.shape, {}, {.around = 96});
    CHECK(is_closed(mesh));
    CHECK(volume(mesh) == approx(c.volume).epsilon(0.003));
  }
}

TEST_CASE("a plane looks up, and one without end ends somewhere") {
  const Mesh plane = triangles_of(shape(Shape::Kind::kPlane, {2, 3, 0}), {});
  for (std::size_t i = 0; i < plane.triangle_count(); ++i) {
    const auto t = plane.triangle(i);
    CHECK(cross(plane.corner(t[1]) - plane.corner(t[0]), plane.corner(t[2]) - plane.corner(t[0])).z > 0);
  }
  CHECK(plane.corner(2) == Vec3{2, 3, 0});
  CHECK(triangles_of(shape(Shape::Kind::kPlane, {}), {}, {.endless = 7}).corner(2) == Vec3{7, 7, 0});
}

TEST_CASE("terrain has its heights, rows along y") {
  Shapes all;
  Terrain t;
  t.columns = 3, t.rows = 2, t.half_x = 2, t.half_y = 1, t.top = 4;
  for (const float h : {0.0f, 0.25f, 0.5f, 0.75f, 1.0f, 0.0f}) Writer(t.heights).raw(&h, 4);
  all.terrains.push_back(t);
  Shape hill = shape(Shape::Kind::kTerrain, {});
  hill.data = 0;
  const Mesh mesh = triangles_of(hill, all);
  CHECK(mesh.corner(0) == Vec3{-2, -1, 0});
  CHECK(mesh.corner(1) == Vec3{0, -1, 1});
  CHECK(mesh.corner(4) == Vec3{0, 1, 4});
  CHECK(mesh.triangle_count() == 4);
}

}  // namespace tessellate_test
