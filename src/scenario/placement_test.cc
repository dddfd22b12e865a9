#include "scenario/placement.h"

#include <doctest/doctest.h>

#include <cmath>

#include "world/state.h"

namespace placement_test {

using namespace convoy;
using namespace convoy::scenario;

namespace {

Loaded read(const std::string& text, const LoadOptions& options = {}) {
  return parse("convoy: 1\n" + text, "s.yaml", "", options);
}

double radius_of(const Setup& setup, const EntitySpec& entity) {
  for (const Model& model : setup.models)
    if (model.name == entity.model) return circumscribed_radius(model);
  return -1;
}

// The first thing that is wrong with where the robots are, or "".
std::string fault_of(const Setup& setup) {
  const auto map = StaticMap::make(setup.map);
  if (!map) return map.error().message();
  for (std::size_t i = 0; i < setup.entities.size(); ++i) {
    const EntitySpec& a = setup.entities[i];
    const Vec2 m = map->to_map(a.pose.p.x, a.pose.p.y);
    if (map->clearance(m.x, m.y) < radius_of(setup, a)) return a.name + " is too near to a wall";
    for (std::size_t k = 0; k < i; ++k) {
      const EntitySpec& b = setup.entities[k];
      const double apart = std::hypot(a.pose.p.x - b.pose.p.x, a.pose.p.y - b.pose.p.y);
      if (apart < radius_of(setup, a) + radius_of(setup, b)) return a.name + " overlaps " + b.name;
    }
  }
  return "";
}

const std::string kCrowd =
    "world:\n  ground: {size: [8, 6], walls: 0.1}\n  boxes: [{x: 1, y: 1, yaw: 0.5}]\n  cylinders: [{x: -2, y: 0}]\n"
    "robots:\n- {name: w, count: 20, model: turtlebot3_waffle}\n- {name: b, count: 60, model: turtlebot3_burger}\n"
    "- {name: p, count: 2, model: turtlebot3_waffle, placement: {poses: [[3, 2], [-3, -2, 1]]}}\n";

}  // namespace

TEST_CASE("robots placed at random are clear of walls and of each other, the given ones included") {
  const auto s = read(kCrowd);
  REQUIRE_MESSAGE(s, s.error().message());
  CHECK(s->setup.entities.size() == 82);
  CHECK(fault_of(s->setup) == "");
  CHECK(s->warnings.empty());
}

TEST_CASE("the same seed gives the same places, another seed others") {
  const auto a = read(kCrowd), b = read(kCrowd), c = read("seed: 2\n" + kCrowd);
  REQUIRE((a && b && c));
  CHECK(a->setup == b->setup);
  for (std::size_t i = 0; i < 80; ++i) CHECK(a->setup.entities[i].pose.p != c->setup.entities[i].pose.p);
  CHECK(fault_of(c->setup) == "");
}

TEST_CASE("a placement's own seed holds while the scenario's changes") {
  const std::string text =
      "robots: [{name: b, count: 5, model: box, placement: {random: {region: [0, 0, 9, 9], seed: 4}}}]";
  CHECK(read(text)->setup.entities == read("seed: 2\n" + text)->setup.entities);
}

TEST_CASE("a placement's z is where a robot's file begins, of a URDF's its root link") {
  LoadOptions options;
  options.import_robot = [](const RobotFile& file) -> Result<ImportedModel> {
    ImportedModel out;
    out.model = built_in_models()[0];
    out.model.name = "walker", out.model.files = {{file.file, 7}};
    out.report.lift = 0.3;  // of its root link, put so high above the ground
    return out;
  };
  const auto at = [&](const std::string& placement) {
    const auto s = read("robots: [{name: b, count: 2, model: walker.urdf, placement: {" + placement + "}}]", options);
    REQUIRE_MESSAGE(s, s.error().message());
    return s->setup.entities[1].pose.p;
  };
  CHECK(at("poses: [[1, 2], [3, 4]]") == Vec3{3, 4, 0});
  CHECK(at("poses: [[1, 2], [3, 4]], z: 0.5") == Vec3{3, 4, 0.2});
  CHECK(at("grid: {}, z: 0.3").z == 0);
  CHECK(at("random: {region: [0, 0, 9, 9]}, z: 1").z == 0.7);
  CHECK(read("robots: [{name: b, model: turtlebot3_burger, placement: {poses: [[0, 0]], z: 1}}]").error().message() ==
        "s.yaml:2: robots[0].placement: z is for robots from files: others are on the ground");
}

TEST_CASE("a region, a yaw and a margin bind random places") {
  const auto s = read(
      "world: {ground: {size: [20, 20]}}\nrobots: [{name: b, count: 12, model: turtlebot3_burger,\n"
      " placement: {random: {region: [1, 2, 5, 6], yaw: 0.5, margin: 0.2}}}]");
  REQUIRE_MESSAGE(s, s.error().message());
  for (const EntitySpec& e : s->setup.entities) {
    CHECK(e.pose.p.x >= 1);
    CHECK(e.pose.p.x <= 5);
    CHECK(e.pose.p.y >= 2);
    CHECK(e.pose.p.y <= 6);
    CHECK(e.pose.q == from_yaw(0.5));
    for (const EntitySpec& o : s->setup.entities)
      if (&o != &e)
        CHECK(std::hypot(e.pose.p.x - o.pose.p.x, e.pose.p.y - o.pose.p.y) >= 2 * radius_of(s->setup, e) + 0.2);
  }
}

TEST_CASE("where there is no place left, the robot that found none is named") {
  const auto s = read(
      "world: {ground: {size: [1, 1], walls: 0.1}}\n"
      "robots: [{name: b, count: 99, model: turtlebot3_waffle}]");
  REQUIRE_FALSE(s);
  CHECK(s.error().where == "s.yaml:3: robots[0]");
  CHECK(s.error().text.starts_with("no free place for 'b_0"));
  CHECK(s.error().text.find(" of 99: a circle of radius 0.") != std::string::npos);
  CHECK(read("robots: [{name: b, model: box}]").error().message() ==
        "s.yaml:2: robots[0]: random placement needs a map, a ground, or a region");
  CHECK(read("robots: [{name: b, model: box, placement: {random: {region: [1, 1, 1, 2]}}}]").error().message() ==
        "s.yaml:2: robots[0].placement.random.region: empty; it is [min_x, min_y, max_x, max_y]");
}

TEST_CASE("the one place that is left is found") {
  // 0.5 m corridors: a burger fits only within some centimetres of the middle, at the far end.
  const auto s = read(
      "world: {ground: {size: [40, 40]}, boxes: [{x: 0, y: 0.25, length: 40, width: 39.5}]}\n"
      "robots: [{name: b, count: 3, model: turtlebot3_burger}]");
  REQUIRE_MESSAGE(s, s.error().message());
  CHECK(fault_of(s->setup) == "");
}

TEST_CASE("circles overlap over cell borders and with wide margins, and touching is clear") {
  Circles circles(0.5);
  circles.add(0.99, 0.01, 0.5);
  CHECK_FALSE(circles.clear(1.98, 0.01, 0.5));
  CHECK(circles.clear(0.99 + 1.0, 0.01, 0.5));
  CHECK(circles.clear(-0.02, -0.02, 0.5));
  CHECK_FALSE(circles.clear(100, 0, 99));
}

}  // namespace placement_test
