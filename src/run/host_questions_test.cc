#include "run/host_questions.h"

#include <doctest/doctest.h>

#include "agent/inspect.h"
#include "physics/factory.h"

namespace host_questions_test {

using namespace convoy;

TEST_CASE("a host answers at once, but what a robot feels and senses at a boundary") {
  Setup setup;
  setup.models = built_in_models();
  EntitySpec spec;
  spec.name = "r", spec.model = "turtlebot3_burger";
  setup.entities = {spec};
  World world = *World::make(setup);
  world.set_owner(Slot(0), Owner(1));
  SerialExecutor executor;
  const KinematicFactory factory;
  Fleet fleet(std::move(world), setup, Owner(1), executor, AgentParts{factory});
  fleet.take_up();
  std::vector<std::uint64_t> answered;
  HostQuestions dut([&](Bytes payload) {
    Ask ask;
    REQUIRE(load(payload, ask));
    answered.push_back(ask.id);
  });
  using Kind = NodesQuestion::Kind;
  const auto ask = [&](std::uint64_t id, Kind kind) {
    return dut.take(save(Ask{id, save(NodesQuestion{kind, 0, "r"})}), &fleet).has_value();
  };
  CHECK(ask(1, Kind::kContacts));
  CHECK(answered == std::vector<std::uint64_t>{1});
  fleet.open({});
  fleet.advance(0, {});
  CHECK(ask(2, Kind::kContacts));
  CHECK(ask(3, Kind::kRules));
  CHECK(ask(4, Kind::kSensor));
  CHECK(answered == std::vector<std::uint64_t>{1, 3});
  fleet.turn();
  dut.at_boundary(fleet);
  dut.at_boundary(fleet);
  CHECK(answered == std::vector<std::uint64_t>{1, 3, 2, 4});
  CHECK_FALSE(dut.take(Bytes{1}, &fleet));
  CHECK(dut.take(save(Ask{5, {}}), nullptr).has_value());  // before there is a world
  CHECK(answered.back() == 5);
}

}  // namespace host_questions_test
