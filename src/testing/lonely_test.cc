// An agent that was alone a moment ago misses no neighbour: parts (a) and (i) of honest_digest_test.cc.
//
// Agent::find_neighbours() remembers for how long an agent must be alone. That is a pure cache: what it spares would
// have found none. So it is no part of the inner bytes, and a restored agent begins without it.
#include <doctest/doctest.h>

#include <algorithm>

#include "agent/fleet_rig.h"
#include "testing/script.h"
#include "testing/watch.h"

namespace lonely_test {

using namespace convoy;
using testing::closest;
using testing::kMostOverlap;
using testing::robot;
using Fleets = convoy::FleetRig;  // agents and worlds, without a network

TEST_CASE("who remembers to be alone and who was just restored go the same way, until they meet and after") {
  Setup setup = testing::empty_arena(1, 3);
  setup.map = {};
  // Pairs that drive at each other, each from another distance: some memory ends at every phase of a pair's approach.
  for (int lane = 0; lane < 14; ++lane) {
    const double apart = 0.9 + 0.037 * lane;
    setup.entities.push_back(
        robot("a" + std::to_string(lane), "turtlebot3_burger", 0, lane, 0, DriverKind::kWaypoints));
    setup.entities.back().driver.waypoints = {{apart, 1.0 * lane}};
    setup.entities.push_back(robot("b" + std::to_string(lane), lane % 2 ? "turtlebot3_burger" : "turtlebot3_waffle",
                                   apart, lane, 3.14159, DriverKind::kWaypoints));
    setup.entities.back().driver.waypoints = {{0, 1.0 * lane}};
  }
  SerialExecutor executor;
  Fleets warm(setup, 2, executor);
  auto cold = std::make_unique<Fleets>(warm, 2, executor);
  while (warm.tick() < 250) {
    warm.step();
    cold = std::make_unique<Fleets>(*cold, 2, executor);
    cold->step();
    REQUIRE(cold->digest() == warm.digest());
    if (warm.tick() % 5 == 0) REQUIRE(closest(warm.world()) >= -kMostOverlap);
  }
  int met = 0;
  for (const Entity& e : warm.world().entities())
    for (const auto& [path, text] : warm.agent(e.number)->describe())
      met += path == "inner.statistics.first_contacts" && text != "0";
  CHECK(met == 28);
}

TEST_CASE("no neighbour is missed that comes upon a lonely robot: set, spawned, reset, detached or driven beside it") {
  Setup setup = testing::empty_arena(20, 3);
  setup.entities = {robot("lonely", "turtlebot3_burger", -3, 0, 0, DriverKind::kNone),
                    robot("other", "box", 0, 5, 0, DriverKind::kNone), robot("far", "box", 6, 6, 0, DriverKind::kNone),
                    robot("cart0", "cart", 3, 0, 3.14159, DriverKind::kNone),
                    robot("second", "turtlebot3_burger", -8, -8, 0, DriverKind::kNone)};
  SerialExecutor executor;
  for (int how = 0; how < 8; ++how) {
    CAPTURE(how);
    for (int fleets : {1, 3}) {
      Fleets dut(setup, fleets, executor);
      const auto go = [&](Tick ticks, Fleets& rig) {
        for (Tick i = 0; i < ticks; ++i) {
          std::vector<Input> inputs{DriveCommand{WorldNumber(1), {{0.2, 0, 0}, {0, 0, 0}}, {}}};
          if (how == 6) inputs.push_back(DriveCommand{WorldNumber(4), {{1.5, 0, 0}, {0, 0, 0}}, {}});
          rig.step(inputs);
          REQUIRE(closest(rig.world()) >= -kMostOverlap);
        }
      };
      if (how == 4) REQUIRE(dut.edit(Attach{WorldNumber(4), WorldNumber(2)}));
      if (how == 5) {  // it hangs on one far away; where it comes free is set below
        REQUIRE(dut.edit(SetState{WorldNumber(3), {{0, -5, 0}, {}}, {}}));
        REQUIRE(dut.edit(Attach{WorldNumber(3), WorldNumber(2)}));
      }
      if (how == 7) REQUIRE(dut.edit(SetState{WorldNumber(5), {{9, 9, 0}, {}}, {}}));
      go(60, dut);
      // The box's centre, so that its side is 5 mm before the robot's nose.
      const double half = 0.5 * (setup.models[4].footprint[1].x - setup.models[4].footprint[0].x);
      double nose = 0;
      for (Vec2 corner : setup.models[0].footprint) nose = std::max(nose, corner.x);
      const Pose beside{{dut.state(WorldNumber(1)).pose.p.x + nose + half + 0.005, 0, 0}, {}};
      switch (how) {
        case 0: REQUIRE(dut.edit(SetState{WorldNumber(2), beside, {}})); break;
        case 1: {  // spawned
          EntitySpec spec = robot("newcomer", "box", 0, 0, 0, DriverKind::kNone);
          spec.pose = beside;
          REQUIRE(dut.edit(Spawn{spec, Owner(1)}));
          break;
        }
        case 2:  // while another one goes
          REQUIRE(dut.edit(Delete{WorldNumber(3)}));
          REQUIRE(dut.edit(SetState{WorldNumber(2), beside, {}}));
          break;
        case 3:  // there and back, then there: each must be seen
          REQUIRE(dut.edit(SetState{WorldNumber(2), {{0, 5, 0}, {}}, {}}));
          go(1, dut);
          REQUIRE(dut.edit(SetState{WorldNumber(2), {{beside.p.x + 0.001, 0, 0}, {}}, {}}));
          break;
        case 4:  // the carrier is set, and brings it along
          REQUIRE(dut.edit(SetState{WorldNumber(4),
                                    {dut.state(WorldNumber(4)).pose.p + (beside.p - dut.state(WorldNumber(2)).pose.p),
                                     dut.state(WorldNumber(4)).pose.q},
                                    {}}));
          break;
        case 5:  // its carrier is set, and it comes free
          REQUIRE(
              dut.edit(SetState{WorldNumber(3),
                                {dut.state(WorldNumber(3)).pose.p + (beside.p - dut.state(WorldNumber(2)).pose.p), {}},
                                {}}));
          REQUIRE(dut.edit(Detach{WorldNumber(2)}));
          break;
        case 6: break;  // the cart drives at it all the time
        case 7:         // the lonely one is set beside the box, and its memory of a lonely place is worth nothing
          REQUIRE(dut.edit(SetState{WorldNumber(1), {{0 - nose - half - 0.005, 5, 0}, {}}, {}}));
          break;
        default: FAIL("no such way");
      }
      Fleets cold(dut, 1, executor);
      go(how == 6 ? 400 : 60, dut);
      bool touched = false;
      for (const auto& [path, text] : dut.agent(WorldNumber(1))->describe())
        if (path == "inner.statistics.first_contacts") touched = text != "0";
      CHECK(touched);
      go(how == 6 ? 400 : 60, cold);
      CHECK(cold.digest() == dut.digest());
    }
  }
}

}  // namespace lonely_test
