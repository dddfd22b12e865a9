#include "record/foxglove/scene.h"

#include <cmath>

#include "record/foxglove/testing.h"

namespace scene_test {

using namespace convoy;
using testing::WireMessage;

namespace {

enum : std::uint64_t { kCubes = 8, kSpheres = 9, kCylinders = 10, kTriangles = 12 };

Shape shape_of(Shape::Kind kind, const Vec3& size) {
  Shape out;
  out.kind = kind, out.size = size, out.color = {255, 0, 0, 51};
  return out;
}

// The only entity of an update with these shapes.
WireMessage entity_of(const Shapes& shapes, SceneLimits limits = {}) {
  std::vector<PlacedShape> placed;
  for (const Shape& shape : shapes.shapes) placed.push_back({&shape, shape.X_LS});
  SceneUpdate update(instant(1'000'000'000), limits);
  update.add("scout/base", "scout/base", shapes, placed);
  return WireMessage(update.bytes()).message(2);
}

Vec3 vector_in(WireMessage message) { return {message.one(1).real(), message.one(2).real(), message.one(3).real()}; }

}  // namespace

TEST_CASE("a shape is a primitive of the same size, fixed to the entity's frame") {
  Shapes shapes;
  shapes.shapes = {shape_of(Shape::Kind::kBox, {1, 2, 3}), shape_of(Shape::Kind::kSphere, {0.5, 0, 0}),
                   shape_of(Shape::Kind::kEllipsoid, {1, 2, 4}), shape_of(Shape::Kind::kCylinder, {0.25, 2, 0})};
  shapes.shapes[0].X_LS.p = {0, 0, 7};

  WireMessage dut = entity_of(shapes);

  CHECK(dut.one(2).text() == "scout/base");
  CHECK(dut.one(3).text() == "scout/base");
  CHECK(dut.one(5).number == 1);
  REQUIRE(dut.count(kCubes) == 1);
  CHECK(vector_in(dut.message(kCubes).message(2)) == Vec3{2, 4, 6});
  CHECK(vector_in(dut.message(kCubes).message(1).message(1)) == Vec3{0, 0, 7});
  CHECK(dut.message(kCubes).message(3).one(1).real() == 1);
  CHECK(dut.message(kCubes).message(3).one(4).real() == 0.2);
  REQUIRE(dut.count(kSpheres) == 2);
  CHECK(vector_in(dut.message(kSpheres).message(2)) == Vec3{1, 1, 1});
  CHECK(vector_in(dut.message(kSpheres, 1).message(2)) == Vec3{2, 4, 8});
  REQUIRE(dut.count(kCylinders) == 1);
  CHECK(vector_in(dut.message(kCylinders).message(2)) == Vec3{0.5, 0.5, 4});
  CHECK(dut.message(kCylinders).one(3).real() == 1);
  CHECK(dut.message(kCylinders).one(4).real() == 1);
}

TEST_CASE("a capsule is a cylinder with a sphere at either end") {
  Shapes shapes;
  shapes.shapes = {shape_of(Shape::Kind::kCapsule, {0.1, 0.5, 0})};

  WireMessage dut = entity_of(shapes);

  CHECK(vector_in(dut.message(kCylinders).message(2)) == Vec3{0.2, 0.2, 1});
  REQUIRE(dut.count(kSpheres) == 2);
  CHECK(vector_in(dut.message(kSpheres, 0).message(1).message(1)) == Vec3{0, 0, -0.5});
  CHECK(vector_in(dut.message(kSpheres, 1).message(1).message(1)) == Vec3{0, 0, 0.5});
}

TEST_CASE("a mesh is its triangles; one beyond the limit, or beyond what is left of all, its bounding box") {
  Shapes shapes;
  Mesh& mesh = shapes.meshes.emplace_back();
  add_corner(mesh, 0, 0, 1), add_corner(mesh, 2, 0, 1), add_corner(mesh, 0, 4, 1), add_corner(mesh, 0, 0, 3);
  add_triangle(mesh, 0, 2, 1), add_triangle(mesh, 0, 1, 3);
  shapes.shapes = {shape_of(Shape::Kind::kMesh, {})};
  shapes.shapes[0].data = 0;

  WireMessage whole = entity_of(shapes, {.of_one = 2, .together = 2});
  WireMessage large = entity_of(shapes, {.of_one = 1, .together = 100});
  WireMessage late = entity_of(shapes, {.of_one = 100, .together = 1});

  REQUIRE(whole.count(kTriangles) == 1);
  CHECK(whole.message(kTriangles).count(2) == 4);
  CHECK(vector_in(whole.message(kTriangles).message(2, 2)) == Vec3{0, 4, 1});
  CHECK(whole.message(kTriangles).one(5).bytes == mesh.triangles);
  for (WireMessage* box : {&large, &late}) {
    CHECK(box->count(kTriangles) == 0);
    REQUIRE(box->count(kCubes) == 1);
    CHECK(vector_in(box->message(kCubes).message(1).message(1)) == Vec3{1, 2, 2});
    CHECK(vector_in(box->message(kCubes).message(2)) == Vec3{2, 4, 2});
  }
}

TEST_CASE("terrain beyond the limit keeps its edges and loses points between them") {
  Shapes shapes;
  Terrain& terrain = shapes.terrains.emplace_back();
  terrain.columns = 101, terrain.rows = 51, terrain.half_x = 10, terrain.half_y = 5, terrain.top = 2;
  for (std::uint32_t i = 0; i < terrain.columns * terrain.rows; ++i) {
    const float height = i + 1 == terrain.columns * terrain.rows ? 1.0f : 0.25f;
    Writer(terrain.heights).raw(&height, sizeof height);
  }
  shapes.shapes = {shape_of(Shape::Kind::kTerrain, {})};
  shapes.shapes[0].data = 0;

  WireMessage dut = entity_of(shapes, {.of_one = 1000, .together = 100'000}).message(kTriangles);

  CHECK(dut.one(5).bytes.size() <= 12 * 1000);
  CHECK(dut.one(5).bytes.size() > 12 * 400);
  CHECK(vector_in(dut.message(2)) == Vec3{-10, -5, 0.5});
  CHECK(vector_in(dut.message(2, dut.count(2) - 1)) == Vec3{10, 5, 2});
}

TEST_CASE("deletions name an entity, or all") {
  SceneLimits limits;
  SceneUpdate dut(instant(0), limits);
  CHECK(dut.empty());
  dut.remove("scout/base");
  dut.remove_all();

  WireMessage update(dut.bytes());
  REQUIRE(update.count(1) == 2);
  CHECK(update.message(1, 0).one(3).text() == "scout/base");
  CHECK(update.message(1, 0).one(2).number == 0);
  CHECK(update.message(1, 1).one(2).number == 1);
}

}  // namespace scene_test
