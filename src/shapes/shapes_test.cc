// What models look like, and where their parts are, without an engine.
#include "shapes/shapes.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "core/approx.h"
#include "core/math.h"
#include "core/pose.h"
#include "shapes/map_boxes.h"
#include "shapes/scene.h"
#include "shapes/tessellate.h"
#include "shapes/testing.h"
#include "world/state.h"
#include "world/world_model.h"

namespace shapes_test {

using namespace convoy;

namespace {

Model model_called(const std::string& name) {
  for (Model& model : built_in_models())
    if (model.name == name) return model;
  FAIL("no model " << name);
  return {};
}

Shapes look_of(const std::string& name) { return *shapes_of(model_called(name), {}); }

std::size_t link_called(const Shapes& shapes, const std::string& name) {
  for (std::size_t i = 0; i < shapes.links.size(); ++i)
    if (shapes.links[i].name == name) return i;
  FAIL("no link " << name);
  return 0;
}

std::vector<Pose> placed(const Shapes& shapes, const Pose& X_WR, const std::vector<double>& joints) {
  std::vector<Pose> out;
  place_links(shapes, {X_WR, {}, joints}, out);
  return out;
}

// A model with a file of shapes.
struct Filed {
  explicit Filed(const Shapes& shapes, std::size_t joints = 7) {
    model.name = "dut", model.joints.resize(joints);
    const Bytes bytes = save(shapes);
    model.files = {{"dut.xml", 1}, {kShapesFile, hash64(bytes)}};
    add(files, bytes);
  }
  std::string error() const {
    const auto made = shapes_of(model, files);
    return made ? "" : made.error().message();
  }
  Model model;
  ModelFiles files;
};

Shapes sound() {
  Shapes out;
  out.links = {{"world", Link::Base::kPlace, kNoPart, 0, {}, {}},
               {"arm", Link::Base::kLink, 0, 0, {}, {{LinkJoint::Type::kHinge, 0, {}, {0, 0, 1}, 0, 0}}},
               {"free", Link::Base::kFree, kNoPart, 0, {}, {}}};
  Mesh mesh;
  add_corner(mesh, 0, 0, 0), add_corner(mesh, 1, 0, 0), add_corner(mesh, 0, 1, 0), add_triangle(mesh, 0, 1, 2);
  out.meshes = {mesh};
  Terrain terrain;
  terrain.columns = terrain.rows = 2, terrain.half_x = terrain.half_y = terrain.top = 1;
  terrain.heights.resize(16);
  out.terrains = {terrain};
  out.textures = {{1, 1, 3, false, {1, 2, 3}}};
  out.materials.resize(1), out.materials[0].texture = 0;
  out.shapes.resize(3);
  out.shapes[0].kind = Shape::Kind::kMesh, out.shapes[0].data = 0, out.shapes[0].material = 0;
  out.shapes[1].kind = Shape::Kind::kBox, out.shapes[1].size = {1, 2, 3}, out.shapes[1].link = 1;
  out.shapes[2].kind = Shape::Kind::kTerrain, out.shapes[2].data = 0;
  return out;
}

}  // namespace

TEST_CASE("a model without files looks like its footprint, closed and turned outwards, on its wheels") {
  for (const char* name : {"turtlebot3_burger", "turtlebot3_waffle", "cart", "truck", "box"}) {
    CAPTURE(name);
    const Model model = model_called(name);
    const Shapes shapes = look_of(name);
    double area = 0;
    for (std::size_t i = 0; i < model.footprint.size(); ++i) {
      const Vec2 a = model.footprint[i], b = model.footprint[(i + 1) % model.footprint.size()];
      area += (a.x * b.y - b.x * a.y) / 2;
    }
    const double low = model.drive == Drive::kNone ? 0 : model.wheel_radius / 2;
    CHECK(volume(triangles_of(shapes.shapes[0], shapes)) == approx(area * (model.height - low)).epsilon(1e-5));
    CHECK(problem_of(shapes, model.joints.size()).empty());
    CHECK(shapes.category == (model.drive == Drive::kNone ? "object" : "robot"));
  }
  CHECK(look_of("turtlebot3_burger").shapes.size() == 3);
  CHECK(look_of("cart").shapes.size() == 5);
  CHECK(look_of("truck").shapes.size() == 2);
  CHECK(look_of("box").shapes.size() == 1);
  CHECK(look_of("program").shapes.empty());
}

TEST_CASE("wheels turn about their axles with the numbers of the tail") {
  const Shapes burger = look_of("turtlebot3_burger");
  const std::vector<Pose> X_WL = placed(burger, {{1, 2, 0}, from_yaw(math::kPi / 2)}, {math::kPi / 2, 0});

  const Pose& left = X_WL[link_called(burger, "wheel_left_link")];
  CHECK(left.p.x == approx(1 - 0.08));  // left of a robot that looks along y
  CHECK(left.p.y == approx(2));
  CHECK(left.p.z == 0.033);
  const Vec3 spoke = rotate(left.q, {1, 0, 0});  // what pointed forward points down
  CHECK(spoke.z == approx(-1));
  const Vec3 other = rotate(X_WL[link_called(burger, "wheel_right_link")].q, {1, 0, 0});
  CHECK(other.y == approx(1));
}

TEST_CASE("all wheels of a steered car roll about one point") {
  const Model model = model_called("cart");
  const Shapes cart = look_of("cart");
  for (const double angle : {-0.55, -0.2, 0.001, 0.3, 0.55}) {
    CAPTURE(angle);
    const std::vector<Pose> X_WL = placed(cart, {}, {angle, 0.4, 0.4});
    const double y = model.wheelbase / math::tan(angle);  // of the point, on the rear axle's line
    for (const char* name : {"front_left_link", "front_right_link", "wheel_left_link", "wheel_right_link"}) {
      const Pose& X = X_WL[link_called(cart, name)];
      const Vec3 axle = rotate(X.q, {0, 1, 0}), to = Vec3{0, y, X.p.z} - X.p;
      CHECK(norm(cross(axle, to)) < 1e-9 * norm(to));
    }
  }
}

TEST_CASE("numbers that the tail lacks are at their zero") {
  const Shapes cart = look_of("cart");
  CHECK(placed(cart, {}, {}) == placed(cart, {}, {0, 0, 0}));
}

TEST_CASE("shapes in a file are read as they were written") {
  const Filed dut(sound());
  const auto made = shapes_of(dut.model, dut.files);
  REQUIRE(made);
  CHECK(*made == sound());
}

TEST_CASE("damaged shapes are refused, with the part") {
  const auto error = [](const auto& spoil) {
    Shapes bad = sound();
    spoil(bad);
    return Filed(bad).error();
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(error([](Shapes&) {}).empty());
  const std::string begin = "dut: its shapes are damaged: ";
  CHECK(error([](Shapes& s) { s.links[1].parent = 1; }) == begin + "link 1: it hangs on a later link");
  CHECK(error([](Shapes& s) { s.links[1].parent = kNoPart; }) == begin + "link 1: it hangs on a later link");
  CHECK(error([](Shapes& s) { s.links[2].at = 1; }) == begin + "link 2: its pose is not in the tail");
  CHECK(error([](Shapes& s) { s.links[1].joints[0].at = 7; }) == begin + "link 1: a joint of it is not in the tail");
  CHECK(error([](Shapes& s) { s.links[1].joints[0].type = LinkJoint::Type::kBall, s.links[1].joints[0].at = 4; }) ==
        begin + "link 1: a joint of it is not in the tail");
  CHECK(error([](Shapes& s) { s.links[1].joints[0].axis = {}; }) == begin + "link 1: a joint of it has no axis");
  CHECK(error([&](Shapes& s) { s.links[0].X_PL.p.x = nan; }) == begin + "link 0: its pose is no pose");
  CHECK(error([](Shapes& s) { s.links[0].X_PL.q = {0, 0, 0, 0}; }) == begin + "link 0: its pose is no pose");
  CHECK(error([](Shapes& s) { s.shapes[1].link = 3; }) == begin + "shape 1: its link is unknown");
  CHECK(error([](Shapes& s) { s.shapes[0].data = 1; }) == begin + "shape 0: its mesh is unknown");
  CHECK(error([](Shapes& s) { s.shapes[2].data = 1; }) == begin + "shape 2: its terrain is unknown");
  CHECK(error([](Shapes& s) { s.shapes[0].material = 1; }) == begin + "shape 0: its material is unknown");
  CHECK(error([](Shapes& s) { s.shapes[1].size.y = 0; }) == begin + "shape 1: its size is no size");
  CHECK(error([&](Shapes& s) { s.shapes[1].size.y = nan; }) == begin + "shape 1: its size is no size");
  CHECK(error([](Shapes& s) { s.meshes[0].triangles[0] = 3; }) ==
        begin + "mesh 0: a triangle has a corner that it does not have");
  CHECK(error([](Shapes& s) { s.meshes[0].corners.pop_back(); }) == begin + "mesh 0: half a corner is left");
  CHECK(error([](Shapes& s) { s.meshes[0].corners[3] = 0x7f, s.meshes[0].corners[2] = 0x80; }) ==
        begin + "mesh 0: a corner is no number");
  CHECK(error([](Shapes& s) { s.meshes[0].texture.resize(4); }) == begin + "mesh 0: its texture has other triangles");
  CHECK(error([](Shapes& s) { s.terrains[0].rows = 3; }) == begin + "terrain 0: it has not as many heights as it says");
  CHECK(error([](Shapes& s) { s.terrains[0].heights[3] = 0x41; }) == begin + "terrain 0: a height is not from 0 to 1");
  CHECK(error([](Shapes& s) { s.textures[0].pixels.clear(); }) ==
        begin + "texture 0: it has not as many pixels as it says");
  CHECK(error([](Shapes& s) { s.materials[0].texture = 1; }) == begin + "material 0: its texture is unknown");
}

TEST_CASE("a file of shapes that is cut short is refused") {
  const Filed whole(sound());
  const Bytes bytes = save(sound());
  for (std::size_t n = 0; n < bytes.size(); n += 7) {
    Filed dut(sound());
    dut.files.clear();
    dut.files.emplace(dut.model.files[1].hash,
                      std::make_shared<const Bytes>(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(n)));
    CHECK(dut.error() == "dut: its shapes are damaged");
  }
  Filed missing(sound());
  missing.files.clear();
  CHECK(missing.error() == "dut: the file of its shapes is missing");
}

TEST_CASE("the level ground in a robot's file is the world's; a slope in it is not") {
  Shapes shapes = sound();
  Shape ground, slope, tray;
  ground.kind = slope.kind = tray.kind = Shape::Kind::kPlane;
  slope.X_LS.q = unit({1, 0.1, 0, 0}), tray.link = 1;
  shapes.shapes = {ground, slope, tray};
  const Filed dut(shapes);
  const Shapes robot = *shapes_of(dut.model, dut.files);
  REQUIRE(robot.shapes.size() == 2);
  CHECK(robot.shapes[0] == slope);
  CHECK(robot.shapes[1] == tray);  // a joint moves it

  Filed world(shapes);
  world.model.name = kWorldModel;
  CHECK(shapes_of(world.model, world.files)->shapes.size() == 3);
}

TEST_CASE("of an MJCF world the scene has what stands, and its objects what moves") {
  Filed world(sound());
  world.model.name = kWorldModel;
  Filed objects(sound());
  objects.model.name = kWorldObjects;

  const Shapes scene = *shapes_of_scene({.world = &world.model}, world.files);
  const Shapes moving = *shapes_of(objects.model, objects.files);

  REQUIRE(scene.shapes.size() == 2);
  CHECK(scene.shapes[0].kind == Shape::Kind::kMesh);
  CHECK(scene.shapes[1].kind == Shape::Kind::kTerrain);
  REQUIRE(moving.shapes.size() == 1);
  CHECK(moving.shapes[0].kind == Shape::Kind::kBox);
}

TEST_CASE("a map's walls are boxes of its cells, and what is painted onto it has its own height") {
  MapData map;
  map.width = 20, map.height = 10, map.resolution = 0.5, map.origin = {1, 2, math::kPi / 2};
  map.cells.assign(200, 0);
  for (std::size_t col = 0; col < 20; ++col) map.cells[col] = 1;  // the bottom row
  const BoxShape crate{-2, 4, 0, 1, 1, 0.3};                      // in the world
  paint(map, crate);
  const CylinderShape post{-3, 8, 0.25, 2};
  paint(map, post);

  const Shapes scene = *shapes_of_scene({&map, {&crate, 1}, {&post, 1}, 1.5, false, nullptr}, {});

  REQUIRE(scene.shapes.size() == 4);
  CHECK(scene.shapes[0].kind == Shape::Kind::kPlane);
  CHECK(scene.shapes[1].size == Vec3{0.5, 0.5, 0.15});
  CHECK(scene.shapes[1].X_LS.p == Vec3{-2, 4, 0.15});
  CHECK(scene.shapes[2].kind == Shape::Kind::kCylinder);
  const Shape& wall = scene.shapes[3];
  CHECK(wall.size == Vec3{5, 0.25, 0.75});
  CHECK(norm(wall.X_LS.p - Vec3{1 - 0.25, 2 + 5, 0.75}) < 1e-12);  // the map's x axis points along y
  CHECK(problem_of(scene, 0).empty());
}

TEST_CASE("merged boxes cover exactly the cells that are marked") {
  std::vector<char> marked(30 * 20, 0);
  for (std::size_t i = 0; i < marked.size(); ++i) marked[i] = (i * 7919 % 13) < 6;
  std::vector<int> covered(marked.size(), 0);
  for (const MapBox& box : merged(marked, 30, 1, 1000))
    for (auto row = static_cast<std::size_t>(box.y0); row < static_cast<std::size_t>(box.y1); ++row)
      for (auto col = static_cast<std::size_t>(box.x0); col < static_cast<std::size_t>(box.x1); ++col)
        ++covered[row * 30 + col];
  for (std::size_t i = 0; i < marked.size(); ++i) REQUIRE(covered[i] == marked[i]);
}

}  // namespace shapes_test
