#include "adapters/ros2/obstacle.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>

namespace obstacle_test {

using namespace convoy;
using namespace convoy::ros2;
using moveit_msgs::msg::CollisionObject;
using shape_msgs::msg::SolidPrimitive;
using visualization_msgs::msg::Marker;

namespace {

Shape shape(Shape::Kind kind, const Vec3& size, const Pose& X_LS = {}) {
  Shape out;
  out.kind = kind, out.size = size, out.X_LS = X_LS, out.color = {255, 0, 51, 255};
  return out;
}

// A look of one link with these shapes.
std::shared_ptr<const ObstacleLooks::Look> look(const std::vector<Shape>& shapes) {
  auto out = std::make_shared<ObstacleLooks::Look>();
  for (const Shape& s : shapes) out->parts.push_back({s.kind, s.size, nullptr, s.color, 0, s.X_LS});
  return out;
}

Obstacle at(const std::shared_ptr<const ObstacleLooks::Look>& look, double x) {
  Obstacle out{{{x, 0, 0}, {}}, {}, look};
  for (const ObstaclePart& part : look->parts) out.X_OP.push_back(part.X_LP);
  return out;
}

const auto crate = look({shape(Shape::Kind::kBox, {0.5, 0.25, 0.125}), shape(Shape::Kind::kCylinder, {0.1, 0.3, 0})});
const auto ball = look({shape(Shape::Kind::kSphere, {0.2, 0, 0}, {{0, 0, 0.2}, {}})});

}  // namespace

TEST_CASE("parts are what is solid: no planes, a capsule as three, the world's boxes, cylinders and walls") {
  const BoxShape box{1, 2, 0, 1, 1, 2};
  const CylinderShape post{-1, 0, 0.25, 1};
  MapData map;
  map.width = map.height = 4, map.resolution = 1, map.cells.assign(16, 0), map.cells[15] = 1;
  ObstacleLooks looks;
  const auto scene = looks.of_scene({&map, {&box, 1}, {&post, 1}, 2.5, false, nullptr}, {});
  REQUIRE(scene);
  CHECK(scene->parts.size() == 3);
  CHECK(scene->parts[0].kind == Shape::Kind::kBox);
  CHECK(scene->parts[0].size == Vec3{0.5, 0.5, 1});
  CHECK(scene->parts[1].kind == Shape::Kind::kCylinder);
  CHECK(scene->parts[2].X_LP.p == Vec3{3.5, 3.5, 1.25});
  CHECK(looks.of_scene({}, {}) == scene);  // once

  Setup setup;
  const auto model = std::make_shared<Model>(built_in_models()[0]);
  ShapeBook book;
  const auto burger = looks.of(book, model, {});
  REQUIRE(burger);
  CHECK(burger == looks.of(book, model, {}));
  for (const ObstaclePart& part : burger->parts) CHECK(part.kind != Shape::Kind::kPlane);
}

TEST_CASE("what is new, elsewhere, of another form or gone has changed, and nothing else") {
  Obstacles before{{"a", at(crate, 1)}, {"b", at(ball, 2)}, {"c", at(ball, 3)}, {"d", at(ball, 4)}};
  Obstacles now = before;
  CHECK(changes_of(before, now).empty());
  now["a"].X_FO.p.x += 5e-4;
  CHECK(changes_of(before, now).empty());
  now["a"].X_FO.p.x += 1e-2, now["b"].X_OP[0].p.z += 1e-2, now.erase("c"), now["d"] = at(crate, 4);
  now["e"] = at(ball, 5);

  const ObstacleChanges dut = changes_of(before, now);
  REQUIRE(dut.moved.size() == 1);
  CHECK(dut.moved.count("a") == 1);
  CHECK(dut.made.size() == 3);
  CHECK(dut.made.count("b") + dut.made.count("d") + dut.made.count("e") == 3);
  CHECK(dut.gone == std::vector<std::string>{"c"});
}

TEST_CASE("a planning scene is a difference: objects that are added, moved and removed") {
  const Obstacles before{{"b", at(ball, 2)}, {"c", at(ball, 3)}}, now{{"a", at(crate, 1)}, {"b", at(ball, 7)}};
  const auto dut = planning_scene_of(changes_of(before, now), "map", Instant{} + std::chrono::seconds(3));

  CHECK(dut.is_diff);
  CHECK(dut.robot_state.is_diff);
  REQUIRE(dut.world.collision_objects.size() == 3);
  const CollisionObject &added = dut.world.collision_objects[0], &moved = dut.world.collision_objects[1],
                        &gone = dut.world.collision_objects[2];
  CHECK(added.id == "a");
  CHECK(added.operation == CollisionObject::ADD);
  CHECK(added.header.frame_id == "map");
  CHECK(added.header.stamp.sec == 3);
  CHECK(added.pose.position.x == 1);
  REQUIRE(added.primitives.size() == 2);
  CHECK(added.primitives[0].type == SolidPrimitive::BOX);
  CHECK(std::vector<double>(added.primitives[0].dimensions.begin(), added.primitives[0].dimensions.end()) ==
        std::vector<double>{1, 0.5, 0.25});
  CHECK(added.primitives[1].type == SolidPrimitive::CYLINDER);
  CHECK(added.primitives[1].dimensions[SolidPrimitive::CYLINDER_HEIGHT] == 0.6);
  CHECK(added.primitives[1].dimensions[SolidPrimitive::CYLINDER_RADIUS] == 0.1);
  CHECK(moved.id == "b");
  CHECK(moved.operation == CollisionObject::MOVE);
  CHECK(moved.pose.position.x == 7);
  CHECK(moved.primitives.empty());
  CHECK(gone.id == "c");
  CHECK(gone.operation == CollisionObject::REMOVE);
}

TEST_CASE("markers are one for each part, and deleted with their obstacle") {
  const Obstacles before{{"c", at(crate, 3)}}, now{{"b", at(ball, 2)}};
  const auto dut = markers_of(changes_of(before, now), before, "map", {});

  REQUIRE(dut.markers.size() == 3);
  CHECK(dut.markers[0].ns == "b");
  CHECK(dut.markers[0].type == Marker::SPHERE);
  CHECK(dut.markers[0].scale.z == 0.4);
  CHECK(dut.markers[0].pose.position.x == 2);
  CHECK(dut.markers[0].pose.position.z == 0.2);
  CHECK(dut.markers[0].color.b == doctest::Approx(0.2));
  CHECK(dut.markers[1].ns == "c");
  CHECK(dut.markers[1].action == Marker::DELETE);
  CHECK(dut.markers[2].id == 1);
}

TEST_CASE("points lie on the surfaces, no farther apart than is said") {
  const auto box = look({shape(Shape::Kind::kBox, {0.5, 0.25, 0.125})});
  const auto dut = points_of({{"a", at(box, 1)}}, "map", {});

  CHECK(dut.width > 6 * 30);
  CHECK(dut.data.size() == 12 * dut.width);
  for (std::size_t i = 0; i < dut.width; ++i) {
    float p[3];
    std::memcpy(p, dut.data.data() + 12 * i, 12);
    const double off = std::max({std::fabs(p[0] - 1) / 0.5, std::fabs(p[1]) / 0.25, std::fabs(p[2]) / 0.125});
    REQUIRE(off == doctest::Approx(1));
  }
}

}  // namespace obstacle_test
