// Bodies that push each other on the ground.
#include <doctest/doctest.h>

#include <cmath>

#include "core/approx.h"
#include "core/math.h"
#include "core/pose.h"
#include "physics/plane.h"

namespace plane_test {

using namespace convoy;
using namespace std::chrono_literals;

namespace {

MetBody box(std::uint32_t number, double x, double y, double mass, double speed = 0) {
  MetBody out;
  out.number = WorldNumber(number), out.X_WB.p = {x, y, 0.1}, out.v_WB_W.v.x = speed;
  out.free = true, out.mass = mass;
  const double i = mass * 0.04 / 6;  // of a cube with edges of 0.2 m
  out.inertia = {i, i, i, 0, 0, 0};
  MetShape& shape = out.shapes.emplace_back();
  shape.kind = MetShape::Kind::kBox, shape.size = {0.1, 0.1, 0.1};
  return out;
}

// A cube that stands there, in ticks of 10 ms of ten steps each.
struct Sledge {
  explicit Sledge(double mass, const StaticMap* ground = nullptr) : own(box(1, 0, 0, mass)), map(ground) {
    model.mass = mass;
  }
  // One tick; `others` stay as they are given.
  void tick(std::vector<MetBody> others = {}, Vec2 force = {}, double torque = 0) {
    PhysicsInput input{.step = 10ms, .self = WorldNumber(1), .map = map};
    own.X_WB = {state.pose.p + Vec3{0, 0, 0.1}, state.pose.q}, own.v_WB_W = state.twist;
    plane.emplace(input, model, state, std::span(&own, 1), others);
    for (int i = 0; i < 10; ++i) plane->step(0.001, force, torque);
    plane->finish(state);
  }
  Model model;
  State state;
  MetBody own;
  const StaticMap* map;
  std::optional<Plane> plane;
};

// 4 m by 4 m, of cells of 5 cm about the origin; solid from x = 0.5 on.
StaticMap wall() {
  MapData data{.width = 80, .height = 80, .resolution = 0.05, .origin = {-2, -2, 0}, .cells = Bytes(80 * 80, 0)};
  for (std::uint32_t row = 0; row < 80; ++row)
    for (std::uint32_t col = 50; col < 80; ++col) data.cells[row * 80 + col] = 1;
  auto map = StaticMap::make(std::move(data));
  REQUIRE(map);
  return *std::move(map);
}

}  // namespace

TEST_CASE("what nothing touches moves as its force and torque have it, about its centre of mass") {
  Sledge dut(10);
  dut.own.com = {0.05, 0, 0};
  CHECK(dut.own.mass == 10);
  for (int i = 0; i < 100; ++i) dut.tick({}, {20, 0}, 0);
  CHECK(dut.state.twist.v.x == approx(2));
  CHECK(dut.state.pose.p.x == approx(1).epsilon(0.01));
  CHECK(dut.plane->mean_force().x == approx(20));
  Sledge turned(10);
  turned.own.com = {0.05, 0, 0};
  turned.tick({}, {}, 0.1);
  const double rate = 0.1 / (10 * 0.04 / 6) * 0.01;
  CHECK(turned.state.twist.w.z == approx(rate));
  CHECK(turned.state.twist.v.y == approx(-rate * 0.05).epsilon(0.01));  // its origin goes round
  CHECK(turned.plane->com().x == approx(0.05));
  CHECK(turned.plane->motion().turn_rate == approx(rate));
}

TEST_CASE("it stops at a wall, at whatever angle the map lies, and the wall's push is the ground's") {
  const StaticMap map = wall();
  Sledge dut(10, &map);
  for (int i = 0; i < 300; ++i) dut.tick({}, {20, 0});
  CHECK(dut.state.pose.p.x == approx(0.4).epsilon(0.005));
  CHECK(std::fabs(dut.state.twist.v.x) < 1e-3);
  CHECK(std::fabs(dut.plane->mean_force().x) < 0.1);  // 20 N forwards, 20 N back
  CHECK(dut.plane->touches_map());
  CHECK(dut.plane->touched().empty());
}

TEST_CASE("who runs into a wall at a slant turns along it, and is not let through") {
  const StaticMap map = wall();
  Sledge dut(10, &map);
  dut.state.pose.q = from_axis_angle({0, 0, 1}, 0.1);
  for (int i = 0; i < 300; ++i) dut.tick({}, {20, 3});
  CHECK(dut.state.pose.p.x == approx(0.4).epsilon(0.01));
  CHECK(std::fabs(dut.plane->motion().yaw) < 0.01);
  CHECK(dut.state.pose.p.y < 0.1);  // 3 N alone would have moved it by 1.35 m
}

TEST_CASE("two of one weight come to rest against each other within their tick, and nothing is lost") {
  // The other one is a copy, anew in each tick: what it loses is its owner's business. So one tick is looked at.
  Sledge dut(10);
  dut.state.twist.v.x = 1;
  dut.tick({box(2, 0.1995, 0, 10)});
  REQUIRE(dut.plane->touched() == std::vector<WorldNumber>{WorldNumber(2)});
  CHECK(dut.state.twist.v.x < 0.8);
  CHECK(dut.state.twist.v.x > 0.5);
  CHECK_FALSE(dut.plane->one_sided());
  CHECK(norm(dut.plane->mean_force()) < 1e-12);  // a neighbour's push is none of the ground's
}

TEST_CASE("what no push moves is a wall that may move, and what is above passes over it") {
  Sledge dut(10);
  MetBody arm = box(2, 0.25, 0, 0);
  arm.free = false, arm.v_WB_W.v.x = -0.5;
  bool one_sided = false;
  for (int i = 0; i < 50; ++i) {
    dut.tick({arm});
    one_sided = one_sided || dut.plane->one_sided();
    arm.X_WB.p.x -= 0.005;
  }
  CHECK(one_sided);
  CHECK(dut.state.twist.v.x < -0.5);  // a contact gives way and springs back
  CHECK(dut.state.twist.v.x > -0.6);
  Sledge under(10);
  arm.X_WB.p = {0.1, 0, 0.4};
  under.tick({arm});
  CHECK(under.plane->touched().empty());
  CHECK(under.state.twist == Twist{});
}

TEST_CASE("a crate stays where a push is weaker than its friction, and gives way to a stronger one") {
  const auto pushed = [](double force) {
    Sledge dut(10);
    MetBody crate = box(2, 0.1999, 0, 5);
    crate.passive = true;
    dut.tick({crate}, {force, 0});
    return dut.state.twist.v.x;
  };
  const double held = pushed(30), moved = pushed(150);  // its friction holds 49 N
  CHECK(held < 0.2 * 30 * 0.01 / 10);
  CHECK(moved > 0.5 * (150 - 49) * 0.01 / 15);
}

TEST_CASE("a neighbour that pushes back as hard as its owner measured holds the pair where it is") {
  Sledge dut(10);
  MetBody other = box(2, 0.1999, 0, 10);
  other.force = {-40, 0, 0};
  dut.tick({other}, {40, 0});
  CHECK(std::fabs(dut.state.twist.v.x) < 0.2 * 40 * 0.01 / 10);
}

}  // namespace plane_test
