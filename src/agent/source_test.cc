// Whose commands a robot obeys: while one source rules, the others' are ignored and counted.
#include <doctest/doctest.h>

#include "agent/fleet_rig.h"
#include "core/approx.h"

namespace source_test {

using namespace convoy;

namespace {

using std::chrono::seconds;

SerialExecutor the_executor;

// A robot without a driver, and one with a driver.
Setup two(ControlSource source = ControlSource::kAny) {
  Setup setup;
  setup.models = built_in_models();
  setup.control_source = source;
  for (const char* name : {"a", "b"}) {
    EntitySpec spec;
    spec.name = name, spec.model = "turtlebot3_burger", spec.pose = {{*name == 'a' ? 0.0 : 3.0, 0, 0}, {}};
    setup.entities.push_back(spec);
  }
  setup.entities[1].driver.kind = DriverKind::kWaypoints;
  setup.entities[1].driver.waypoints = {{6, 0}};
  return setup;
}

DriveCommand drive(WorldNumber robot, double speed, ControlSource source) {
  return {robot, {{speed, 0, 0}, {}}, seconds(10), source};
}
SetParameter rule(WorldNumber robot, const char* source) {
  return {robot, kControllerNode, "source", source, ControlSource::kAny};
}

void run(FleetRig& rig, int ticks, std::vector<Input> inputs = {}) {
  for (int i = 0; i < ticks; ++i, inputs.clear()) rig.step(inputs);
}
double speed(const FleetRig& rig, WorldNumber robot) { return rig.state(robot).twist.v.x; }

}  // namespace

TEST_CASE("who has leased a robot commands it alone, its own driver and nodes included, on any number of hosts") {
  const auto as = [](DriveCommand command, const char* holder) {
    command.holder = holder;
    return command;
  };
  const Lease take{{WorldNumber(1), WorldNumber(2)}, "me", Lease::Kind::kTake},
      give_back{{WorldNumber(1), WorldNumber(2)}, "me", Lease::Kind::kGiveBack};
  FleetRig rig(two(), 1, the_executor), other(two(), 2, the_executor), free(two(), 1, the_executor);
  for (FleetRig* one : {&rig, &other, &free}) run(*one, 50, {drive(WorldNumber(1), 0.1, ControlSource::kZmq)});
  CHECK(speed(rig, WorldNumber(2)) > 0.1);  // its driver's
  CHECK(rig.digest() == free.digest());     // nobody has leased anything: no byte of it
  for (FleetRig* one : {&rig, &other}) {
    REQUIRE(one->edit(take));
    run(*one, 50);
    CHECK(speed(*one, WorldNumber(1)) == 0);  // what drove it has not leased it
    CHECK(speed(*one, WorldNumber(2)) == 0);
    run(*one, 50,
        {as(drive(WorldNumber(1), 0.2, ControlSource::kZmq), "me"),
         as(drive(WorldNumber(1), -0.1, ControlSource::kZmq), "you"),
         drive(WorldNumber(1), -0.1, ControlSource::kDashboard)});
    CHECK(speed(*one, WorldNumber(1)) == approx(0.2));
    CHECK(one->agent(WorldNumber(1))->rule().ignored[static_cast<std::size_t>(ControlSource::kZmq)] == 1);
    run(*one, 2, {as(drive(WorldNumber(1), 0.2, ControlSource::kZmq), "me")});
    REQUIRE(one->edit(give_back));
    run(*one, 50);
    CHECK(speed(*one, WorldNumber(1)) == approx(0.2));  // what it was told holds
    CHECK(speed(*one, WorldNumber(2)) > 0.1);
  }
  CHECK(rig.digest() == other.digest());
  CHECK(rig.digest() != free.digest());
}

TEST_CASE("where any source may command, the last one wins") {
  FleetRig rig(two(), 1, the_executor);
  run(rig, 50, {drive(WorldNumber(1), 0.1, ControlSource::kZmq)});
  CHECK(speed(rig, WorldNumber(1)) == approx(0.1));
  run(rig, 50,
      {drive(WorldNumber(1), 0.2, ControlSource::kDashboard), drive(WorldNumber(1), -0.1, ControlSource::kRos2)});
  CHECK(speed(rig, WorldNumber(1)) == approx(-0.1));
  CHECK(rig.agent(WorldNumber(1))->rule().ignored == std::array<std::uint32_t, kControlSources>{});
}

TEST_CASE("who rules is obeyed alone, and what the others ask is counted by source") {
  FleetRig rig(two(), 1, the_executor);
  run(rig, 50, {drive(WorldNumber(1), 0.1, ControlSource::kDashboard)});
  run(rig, 50, {rule(WorldNumber(1), "zmq")});
  CHECK(speed(rig, WorldNumber(1)) == 0);  // what drove it does not rule any more

  run(rig, 50,
      {drive(WorldNumber(1), 0.2, ControlSource::kDashboard), drive(WorldNumber(1), 0.1, ControlSource::kZmq),
       drive(WorldNumber(1), -0.2, ControlSource::kRos2),
       SetControls{WorldNumber(1), {{0, 1}}, ControlSource::kDashboard},
       SetParameter{WorldNumber(1), kControllerNode, "mode", "pd", ControlSource::kNodes},
       drive(WorldNumber(1), 0.2, ControlSource::kAny), drive(WorldNumber(1), 0.2, static_cast<ControlSource>(200))});
  CHECK(speed(rig, WorldNumber(1)) == approx(0.1));
  CHECK(rig.agent(WorldNumber(1))->rule().ignored == std::array<std::uint32_t, kControlSources>{2, 2, 0, 1, 1});

  run(rig, 50, {rule(WorldNumber(1), "zmqq")});  // is no source
  CHECK(rig.agent(WorldNumber(1))->rule().ruler == ControlSource::kZmq);
  CHECK(speed(rig, WorldNumber(1)) == approx(0.1));
  run(rig, 50, {rule(WorldNumber(1), "any"), drive(WorldNumber(1), 0.2, ControlSource::kDashboard)});
  CHECK(speed(rig, WorldNumber(1)) == approx(0.2));
}

TEST_CASE("a driver is one of the robot's nodes, and rests while another source rules") {
  FleetRig rig(two(), 1, the_executor);
  run(rig, 100);
  CHECK(speed(rig, WorldNumber(2)) > 0.1);
  run(rig, 100, {rule(WorldNumber(2), "ros2")});
  CHECK(speed(rig, WorldNumber(2)) == 0);
  CHECK(rig.agent(WorldNumber(2))->rule().ignored[static_cast<std::size_t>(ControlSource::kNodes)] ==
        10);  // it decides every 100 ms
  run(rig, 100, {rule(WorldNumber(2), "nodes"), drive(WorldNumber(2), -0.1, ControlSource::kDashboard)});
  CHECK(speed(rig, WorldNumber(2)) > 0.1);
}

TEST_CASE("who rules at the beginning is set by the robot, or else for all, and holds again after a reset") {
  Setup setup = two(ControlSource::kZmq);
  setup.entities[1].control_source = ControlSource::kDashboard;
  FleetRig rig(setup, 1, the_executor);
  CHECK(rig.agent(WorldNumber(1))->rule().ruler == ControlSource::kZmq);
  CHECK(rig.agent(WorldNumber(2))->rule().ruler == ControlSource::kDashboard);
  run(rig, 1, {rule(WorldNumber(2), "ros2")});
  CHECK(rig.agent(WorldNumber(2))->rule().ruler == ControlSource::kRos2);
  REQUIRE(rig.edit(Reset{{WorldNumber(2)}}));
  run(rig, 1);
  CHECK(rig.agent(WorldNumber(2))->rule().ruler == ControlSource::kDashboard);
}

TEST_CASE("who rules is reported with the nodes' parameters") {
  FleetRig rig(two(), 1, the_executor);
  run(rig, 1, {rule(WorldNumber(1), "zmq")});
  run(rig, 1, {drive(WorldNumber(1), 0.1, ControlSource::kDashboard)});
  const auto ask = [&](NodesQuestion::Kind kind, const char* node) {
    NodesAnswer answer;
    REQUIRE(load(rig.fleet(0).answer(save(NodesQuestion{kind, 0, node})), answer));
    std::string text;
    for (const auto& p : answer.parameters)
      text += p.node + " " + p.name + " " + p.value + (p.settable ? "" : " shown") + (p.controller ? "" : "?") + "\n";
    return text;
  };
  const std::string first = "/a/controller source zmq\n/a/controller ignored.dashboard 1 shown\n";
  CHECK(ask(NodesQuestion::Kind::kParameters, "") == first + "/b/controller source any\n");
  CHECK(ask(NodesQuestion::Kind::kParameters, "/a/controller") == first);
  CHECK(ask(NodesQuestion::Kind::kParameters, "/c/controller") == "");
}

TEST_CASE("who rules is set for one robot, or for all") {
  FleetRig rig(two(), 1, the_executor);
  run(rig, 1,
      {rule(WorldNumber(1), "zmq"), drive(WorldNumber(1), 0.1, ControlSource::kDashboard),
       drive(WorldNumber(1), 0.1, static_cast<ControlSource>(9))});
  const auto ask = [&](const char* name) {
    NodesAnswer answer;
    REQUIRE(load(rig.fleet(0).answer(save(NodesQuestion{NodesQuestion::Kind::kRules, 0, name})), answer));
    std::string text;
    for (const auto& r : answer.rules) {
      text += std::to_string(r.agent.value()) + " " + std::string(name_of(r.ruler));
      for (const auto& [source, n] : r.ignored)
        text += ", " + std::to_string(n) + " of " + std::to_string(static_cast<int>(source));
      text += "\n";
    }
    CHECK(answer.parameters.empty());
    return text;
  };

  CHECK(ask("") == "1 zmq, 1 of 0, 1 of 1\n2 any\n");
  CHECK(ask("b") == "2 any\n");
  CHECK(ask("c") == "");
}

TEST_CASE("keys that are held are commands, and stay until they are sent anew") {
  FleetRig rig(two(ControlSource::kZmq), 1, the_executor);
  const auto keys = [](const char* mask, ControlSource source) {
    return SetParameter{WorldNumber(1), kControllerNode, "actions", mask, source};
  };
  run(rig, 1, {keys("5", ControlSource::kZmq)});
  run(rig, 1,
      {keys("6", ControlSource::kDashboard), keys("-1", ControlSource::kZmq), keys("5x", ControlSource::kZmq),
       keys("", ControlSource::kZmq)});
  CHECK(rig.agent(WorldNumber(1))->actions() == 5);
  run(rig, 1, {keys("4294967295", ControlSource::kZmq)});
  CHECK(rig.agent(WorldNumber(1))->actions() == 0xffffffff);
  REQUIRE(rig.edit(Reset{{WorldNumber(1)}}));
  CHECK(rig.agent(WorldNumber(1))->actions() == 0);
}

TEST_CASE("who rules is in the inner state: a run that is taken up goes on alike") {
  FleetRig whole(two(), 2, the_executor);
  run(whole, 30, {rule(WorldNumber(2), "zmq"), drive(WorldNumber(1), 0.1, ControlSource::kZmq)});
  FleetRig taken(whole, 1, the_executor);
  const std::vector<Input> more{drive(WorldNumber(2), 0.1, ControlSource::kRos2),
                                drive(WorldNumber(2), 0.2, ControlSource::kZmq), rule(WorldNumber(1), "dashboard")};
  run(whole, 30, more), run(taken, 30, more);
  CHECK(taken.digest() == whole.digest());
  CHECK(speed(taken, WorldNumber(2)) > 0.05);
  CHECK(speed(taken, WorldNumber(1)) == 0);
}

}  // namespace source_test
