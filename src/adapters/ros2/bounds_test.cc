#include "adapters/ros2/bounds.h"

#include <doctest/doctest.h>

#include <limits>

namespace bounds_test {

using namespace convoy;
using namespace convoy::ros2;
using simulation_interfaces::msg::Bounds;

namespace {

Bounds bounds(std::uint8_t type, const std::vector<Vec3>& points) {
  Bounds out;
  out.type = type;
  for (const Vec3& p : points) {
    auto& one = out.points.emplace_back();
    one.x = p.x, one.y = p.y, one.z = p.z;
  }
  return out;
}

Pose turned(double x, double y, double yaw) { return {{x, y, 0}, from_yaw(yaw)}; }

constexpr Box kUnit{{-0.5, -0.5, 0}, {0.5, 0.5, 1}};

}  // namespace

TEST_CASE("boxes touch by their faces and their edges, however they are turned") {
  const Box region{{0, 0, 0}, {1, 1, 1}};
  CHECK(touches(kUnit, turned(1.4, 0.5, 0), region));
  CHECK(!touches(kUnit, turned(1.6, 0.5, 0), region));
  CHECK(touches(kUnit, turned(1.6, 0.5, 0.785398), region));  // a corner reaches 0.707
  CHECK(!touches(kUnit, turned(1.55, 1.55, 0.785398), region));
  CHECK(touches(kUnit, turned(1.45, 1.45, 0), region));
  CHECK(touches(kUnit, {{0.5, 0.5, 0.9}, {}}, region));
  CHECK(!touches(kUnit, {{0.5, 0.5, 1.1}, {}}, region));
  CHECK(!touches(kUnit, {{0.5, 0.5, -1.1}, {}}, region));
  CHECK(touches(kUnit, turned(0, 0, 0), Box{{-9, -9, -9}, {9, 9, 9}}));  // one within the other
}

TEST_CASE("a box touches a ball where its nearest point is within the radius") {
  CHECK(touches(kUnit, turned(0, 0, 0), Ball{{1.4, 0, 0.5}, 1}));
  CHECK(!touches(kUnit, turned(0, 0, 0), Ball{{1.4, 1.4, 0.5}, 1}));
  CHECK(touches(kUnit, turned(0, 0, 0.785398), Ball{{1.6, 0, 0.5}, 0.9}));
  CHECK(touches(kUnit, turned(0, 0, 0), Ball{{0, 0, 0.5}, 0}));
}

TEST_CASE("what has no body is a point, and everything is in the whole world") {
  CHECK(touches(std::nullopt, turned(1, 0, 0), Ball{{0, 0, 0}, 1}));
  CHECK(!touches(std::nullopt, turned(1.01, 0, 0), Ball{{0, 0, 0}, 1}));
  CHECK(touches(std::nullopt, turned(100, 0, 0), Region{}));
}

TEST_CASE("bounds become regions, or it is said what is wrong with them") {
  CHECK(*region_of(bounds(Bounds::TYPE_EMPTY, {})) == Region{});
  CHECK(*region_of(bounds(Bounds::TYPE_BOX, {{1, 2, 3}, {-1, -2, -3}})) == Region{Box{{-1, -2, -3}, {1, 2, 3}}});
  CHECK(*region_of(bounds(Bounds::TYPE_SPHERE, {{1, 2, 3}, {4, 0, 0}})) == Region{Ball{{1, 2, 3}, 4}});
  CHECK(region_of(bounds(Bounds::TYPE_CONVEX_HULL, {{}, {}, {}})).error().code == ErrorCode::kUnsupported);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const Bounds& wrong :
       {bounds(Bounds::TYPE_BOX, {{1, 2, 3}}), bounds(Bounds::TYPE_SPHERE, {{0, 0, 0}, {-1, 0, 0}}),
        bounds(Bounds::TYPE_SPHERE, {}), bounds(Bounds::TYPE_BOX, {{nan, 0, 0}, {1, 1, 1}}), bounds(9, {})})
    CHECK(region_of(wrong).error().code == ErrorCode::kInvalid);
}

TEST_CASE("a model's box is about its footprint and height, and is told by its upper and its lower corner") {
  Model model;
  CHECK(body_of(model) == std::nullopt);
  CHECK(message_of(std::nullopt).type == Bounds::TYPE_EMPTY);
  model.footprint = {{-1, -2}, {3, -2}, {0, 5}}, model.height = 0.5;
  const auto box = body_of(model);
  CHECK(box == Box{{-1, -2, 0}, {3, 5, 0.5}});
  const Bounds told = message_of(box);
  CHECK(told.type == Bounds::TYPE_BOX);
  REQUIRE(told.points.size() == 2);
  CHECK(told.points[0].y == 5);
  CHECK(told.points[1].y == -2);
}

}  // namespace bounds_test
