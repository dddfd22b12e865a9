// What kinematic robots touch.
#include <doctest/doctest.h>

#include <cmath>

#include "core/approx.h"
#include "core/pose.h"
#include "physics/kinematic.h"
#include "world/model.h"

namespace contacts_test {

using namespace convoy;
using namespace std::chrono_literals;

namespace {

// 6 m by 6 m of cells of 5 cm, turned about its corner; solid from `wall` m on along its x.
StaticMap room(double yaw, double wall = 10) {
  MapData data{.width = 120, .height = 120, .resolution = 0.05, .origin = {1, -2, yaw}, .cells = Bytes(120 * 120, 0)};
  for (std::uint32_t row = 0; row < 120; ++row)
    for (std::uint32_t col = 0; col < 120; ++col)
      if ((col + 0.5) * 0.05 > wall) data.cells[row * 120 + col] = 1;
  auto map = StaticMap::make(std::move(data));
  REQUIRE(map);
  return *std::move(map);
}

std::vector<ContactReading> touched(const Model& model, const StaticMap* map, const State& state,
                                    std::vector<Neighbour> neighbours = {}) {
  KinematicPhysics dut(model);
  PhysicsInput input{.step = 10ms, .self = WorldNumber(1), .map = map, .neighbours = neighbours};
  Feeling out;
  REQUIRE(dut.feel(input, state, {}, out));
  return out.contacts;
}

// Drives a robot until it stands still, and asks there.
std::vector<ContactReading> driven_into(const StaticMap& map, const Model& model, State& state) {
  KinematicPhysics dut(model);
  PhysicsEvents events;
  for (int i = 0; i < 2000; ++i) {
    PhysicsInput input{.begin = Instant(i * 10ms), .step = 10ms, .self = WorldNumber(1), .map = &map};
    input.command.v.x = model.max_speed;
    dut.step(input, state, {}, events);
  }
  return touched(model, &map, state);
}

}  // namespace

TEST_CASE("a kinematic robot feels the wall that it stands against, where it touches and which way") {
  const Model burger = built_in_models()[0];
  for (const double yaw : {0.0, 0.7}) {
    const StaticMap map = room(yaw, 4);
    State state;
    const Vec2 at = map.to_world(2, 3);
    state.pose = {{at.x, at.y, 0}, from_yaw(yaw)};
    REQUIRE(touched(burger, &map, state).empty());

    const auto contacts = driven_into(map, burger, state);

    REQUIRE(contacts.size() == 1);
    const ContactReading& one = contacts[0];
    CHECK(one.other == kNoEntity);
    const Vec2 there = map.to_map(one.position.x, one.position.y), here = map.to_map(state.pose.p.x, state.pose.p.y);
    CHECK(there.x == about(4, 1e-3));
    CHECK(there.y == about(here.y, 0.02));
    CHECK(one.position.z == about(burger.height / 2, 1e-9));
    CHECK(one.normal.x == about(-std::cos(yaw), 1e-6));
    CHECK(one.normal.y == about(-std::sin(yaw), 1e-6));
    CHECK(one.depth == about(0, 1e-3));
    CHECK(norm(one.force) == 0);
  }
}

TEST_CASE("in a corner it feels both walls, and the outside of the map is one") {
  const Model burger = built_in_models()[0];
  const StaticMap map = room(0);
  State state;
  double low_x = 1, low_y = 1;
  for (const Vec2& c : burger.footprint) low_x = std::min(low_x, c.x), low_y = std::min(low_y, c.y);
  state.pose.p = {1 - low_x + 5e-4, -2 - low_y + 5e-4, 0};

  const auto contacts = touched(burger, &map, state);

  REQUIRE(contacts.size() == 2);
  CHECK(std::fabs(dot(contacts[0].normal, contacts[1].normal)) < 1e-9);
  for (const ContactReading& one : contacts) CHECK(one.normal.x + one.normal.y == approx(1));
  state.pose.p.x += 1e-3, state.pose.p.y += 1e-3;
  CHECK(touched(burger, &map, state).empty());
}

TEST_CASE("robots that have driven into each other feel each other at one place, with opposite normals") {
  const Model burger = built_in_models()[0];
  State a, b;
  double front = 0, back = 0;
  for (const Vec2& c : burger.footprint) front = std::max(front, c.x), back = std::min(back, c.x);
  b.pose.p.x = front - back + 4e-4, b.pose.p.y = 0.02;

  const auto first = touched(burger, nullptr, a, {{WorldNumber(2), &b, &burger}});
  KinematicPhysics other(burger);
  std::vector<Neighbour> me{{WorldNumber(1), &a, &burger}};
  Feeling felt;
  REQUIRE(other.feel({.step = 10ms, .self = WorldNumber(2), .neighbours = me}, b, {}, felt));
  const std::vector<ContactReading>& second = felt.contacts;

  REQUIRE(first.size() == 1);
  REQUIRE(second.size() == 1);
  CHECK(first[0].other == WorldNumber(2));
  CHECK(second[0].other == WorldNumber(1));
  CHECK(norm(first[0].position - second[0].position) < 1e-9);
  CHECK(norm(first[0].normal + second[0].normal) < 1e-9);
  CHECK(first[0].position.x == about(front, 1e-3));
  CHECK(first[0].position.y == about(0.01, 0.03));
  CHECK(first[0].depth == about(-4e-4, 1e-9));
  b.pose.p.x += 1e-3;
  CHECK(touched(burger, nullptr, a, {{WorldNumber(2), &b, &burger}}).empty());
}

}  // namespace contacts_test
