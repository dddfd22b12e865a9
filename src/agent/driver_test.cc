#include "agent/driver.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "agent/fleet_rig.h"
#include "core/math.h"

namespace driver_test {

using namespace convoy;

namespace {

Setup room(double side) {
  Setup setup;
  setup.models = built_in_models();
  setup.map.resolution = 0.05;
  setup.map.width = setup.map.height = static_cast<std::uint32_t>(side / 0.05);
  setup.map.origin = {-side / 2, -side / 2, 0};
  setup.map.cells.assign(std::size_t{setup.map.width} * setup.map.height, 0);
  return setup;
}

EntitySpec burger(const char* name, Pose pose, DriverKind kind) {
  EntitySpec spec;
  spec.name = name;
  spec.model = "turtlebot3_burger";
  spec.pose = pose;
  spec.driver.kind = kind;
  return spec;
}

double far_from(const FleetRig& rig, WorldNumber number, double x, double y) {
  const Vec3& p = rig.state(number).pose.p;
  return std::hypot(p.x - x, p.y - y);
}

}  // namespace

TEST_CASE("a random walk covers ground and is nowhere stuck for ten seconds") {
  SerialExecutor serial;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    Setup setup = room(5);
    setup.seed = seed;
    paint(setup.map, CylinderShape{1, 1, 0.2, 1});
    paint(setup.map, CylinderShape{-1, 1, 0.2, 1});
    paint(setup.map, BoxShape{0, -1, 0.5, 1, 0.1, 1});
    const Pose pose{{0, 0, 0}, from_yaw(static_cast<double>(seed))};
    setup.entities.push_back(burger("walker", pose, DriverKind::kRandomWalk));
    FleetRig rig(setup, 1, serial);

    double anchor_x = 0, anchor_y = 0;
    Tick since = 0, longest = 0;
    for (Tick k = 0; k < 12'000; ++k) {
      rig.step();
      if (far_from(rig, WorldNumber(1), anchor_x, anchor_y) > 0.1)
        anchor_x = rig.state(WorldNumber(1)).pose.p.x, anchor_y = rig.state(WorldNumber(1)).pose.p.y, since = k;
      longest = std::max(longest, k - since);
    }

    CHECK_MESSAGE(longest < 1000, "seed ", seed, ": ", longest, " ticks");
    CHECK_MESSAGE(rig.agent(WorldNumber(1))->statistics().distance > 10, "seed ", seed);
  }
}

TEST_CASE("waypoints are reached in order, and again if the route is a loop") {
  SerialExecutor serial;
  const std::vector<Vec2> route{{1, 0}, {1, 1}, {-1, 1}, {0, -1}};
  for (bool loop : {false, true}) {
    Setup setup = room(6);
    setup.entities.push_back(burger("courier", {{0, 0, 0}, from_yaw(2)}, DriverKind::kWaypoints));
    setup.entities[0].driver.waypoints = route;
    setup.entities[0].driver.loop = loop;
    FleetRig rig(setup, 1, serial);

    std::vector<std::size_t> reached;
    for (Tick k = 0; k < 8000; ++k) {
      rig.step();
      for (std::size_t i = 0; i < route.size(); ++i)
        if (far_from(rig, WorldNumber(1), route[i].x, route[i].y) < 0.15 && (reached.empty() || reached.back() != i))
          reached.push_back(i);
    }

    REQUIRE(reached.size() >= route.size());
    for (std::size_t i = 0; i < reached.size(); ++i) CHECK(reached[i] == i % route.size());
    if (loop) CHECK(reached.size() > route.size());
    if (!loop) CHECK(reached.size() == route.size());
    if (!loop) CHECK(rig.state(WorldNumber(1)).twist == Twist{});
  }
}

TEST_CASE("a route of one point ends there, a loop or not") {
  SerialExecutor serial;
  Setup setup = room(6);
  setup.entities.push_back(burger("guard", {{0, 0, 0}, from_yaw(2)}, DriverKind::kWaypoints));
  setup.entities[0].driver.waypoints = {{1, 0}};
  setup.entities[0].driver.loop = true;
  FleetRig rig(setup, 1, serial);
  for (Tick k = 0; k < 2000; ++k) rig.step();
  CHECK(far_from(rig, WorldNumber(1), 1, 0) < 0.15);
  CHECK(rig.state(WorldNumber(1)).twist == Twist{});
}

namespace {

// Two robots on crossing ways; the time at which each is past the crossing, s, or 1000.
struct Crossing {
  double first = 1000, second = 1000;
  std::uint64_t digest = 0;
};
Crossing cross(double range, bool swapped) {
  SerialExecutor serial;
  Setup setup = room(8);
  setup.network.range = range;
  const Pose west{{-1.5, 0, 0}, from_yaw(0)}, south{{0, -1.5, 0}, from_yaw(math::kPi / 2)};
  setup.entities.push_back(burger("one", swapped ? south : west, DriverKind::kRightOfWay));
  setup.entities.push_back(burger("two", swapped ? west : south, DriverKind::kRightOfWay));
  FleetRig rig(setup, 1, serial);
  for (WorldNumber n : {WorldNumber(1), WorldNumber(2)}) {
    // Their goals are at the end of the inner bytes: has_goal, goal x, goal y, waiting, count of intents received.
    Bytes inner = rig.fleet(0).inner(n);
    const bool eastward = (n == WorldNumber(1)) != swapped;
    Bytes end;
    Writer w(end);
    w.u8(1), w.f64(eastward ? 3 : 0), w.f64(eastward ? 0 : 3), w.u32(0), w.u32(0);
    std::copy(end.begin(), end.end(), inner.end() - static_cast<std::ptrdiff_t>(end.size()));
    REQUIRE(rig.fleet(0).mine(n)->load(inner));
  }
  Crossing result;
  for (Tick k = 0; k < 3000; ++k) {
    rig.step();
    for (WorldNumber n : {WorldNumber(1), WorldNumber(2)}) {
      const Vec3& p = rig.state(n).pose.p;
      double& at = n == WorldNumber(1) ? result.first : result.second;
      if (((n == WorldNumber(1)) != swapped ? p.x : p.y) > 0.2) at = std::min(at, static_cast<double>(k) * 0.01);
    }
    if (result.first < 1000 && result.second < 1000) break;
  }
  result.digest = rig.digest();
  return result;
}

}  // namespace

TEST_CASE("where ways cross the robot of smaller number passes first, because its messages arrive") {
  for (bool swapped : {false, true}) {
    const Crossing received = cross(30, swapped), unreceived = cross(0, swapped);

    CHECK(received.first < 12);
    CHECK(received.second < 1000);
    CHECK(received.second > received.first + 1);
    CHECK(received.digest != unreceived.digest);
    CHECK(unreceived.second > received.second);  // neither yields: they block each other
  }
}

}  // namespace driver_test
