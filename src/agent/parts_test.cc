// Free mode's ticks in parts: which input acts in which physics step.
#include <doctest/doctest.h>

#include "agent/fleet.h"
#include "core/approx.h"
#include "physics/slides.h"

namespace parts_test {

using namespace convoy;
using namespace std::chrono_literals;

namespace {

constexpr WorldNumber kSlides(1), kBurger(2);

struct Pair {
  explicit Pair(Duration step = 2ms) {
    engines.step = step;
    setup.models = built_in_models();
    setup.entities.resize(2);
    setup.entities[0].name = "slides", setup.entities[1].name = "burger";
    for (const Model& model : setup.models)
      if (model.drive == Drive::kNone && has_body(model)) setup.entities[0].model = model.name;
    setup.entities[1].model = "turtlebot3_burger", setup.entities[1].pose.p.x = 3;
    World world = *World::make(setup);
    for (Slot slot : SlotRange(2)) world.set_owner(slot, Owner(1));
    fleet = std::make_unique<Fleet>(std::move(world), setup, Owner(1), executor, AgentParts{engines});
    fleet->take_up();
    fleet->open({});
  }
  void end(std::span<const Input> inputs = {}) {
    fleet->advance(k++, inputs);
    fleet->turn();
    fleet->open({});
  }
  double slide() const {
    EngineView out;
    REQUIRE(fleet->agent(kSlides)->physics().view(out));
    return out.qpos[0];
  }
  // Where a robot is within the tick.
  Instant stamp(WorldNumber robot) const { return fleet->world().next().state(fleet->world().slot_of(robot)).stamp; }

  Setup setup;
  SerialExecutor executor;
  SlidesFactory engines;
  std::unique_ptr<Fleet> fleet;
  Tick k = 0;
};

std::vector<Input> control(double value) { return {SetControls{kSlides, {{0, value}}}}; }

}  // namespace

TEST_CASE("what enters with a part of the tick acts in the physics step that begins then") {
  Pair dut;
  CHECK(physics_step(*dut.fleet) == 2ms);
  CHECK(dut.fleet->reached() == 0ms);
  dut.fleet->advance(0, control(1), 4ms);
  CHECK(dut.fleet->reached() == 4ms);
  CHECK(dut.slide() == 1);
  CHECK(dut.stamp(kSlides) == instant(nanos(4ms)));
  CHECK(dut.stamp(kBurger) == instant(nanos(10ms)));  // its physics has one step a tick
  dut.fleet->advance(0, control(2), 6ms);
  CHECK(dut.slide() == 2);
  CHECK(dut.stamp(kSlides) == instant(nanos(6ms)));
  dut.end(control(3));

  CHECK(dut.slide() == 3);
  CHECK(dut.fleet->reached() == 0ms);
  for (Slot slot : SlotRange(2)) CHECK(dut.fleet->world().snapshot().state(slot).stamp == instant(nanos(10ms)));
  dut.end();
  CHECK(dut.slide() == 3);
}

TEST_CASE("what comes between two steps of a robot acts in the second, and once") {
  Pair dut(5ms);
  CHECK(physics_step(*dut.fleet) == 5ms);
  dut.fleet->advance(0, {}, 2ms);
  CHECK(dut.stamp(kSlides) == instant(nanos(5ms)));
  dut.fleet->advance(0, control(1), 4ms);
  CHECK(dut.slide() == 0);
  dut.fleet->advance(0, {}, 6ms);
  CHECK(dut.slide() == 1);
  CHECK(dut.stamp(kSlides) == instant(nanos(10ms)));
  dut.fleet->advance(0, control(2), 8ms);
  dut.end();
  CHECK(dut.slide() == 1);  // no step of its has begun since

  dut.end();
  CHECK(dut.slide() == 1);
  dut.end(control(4));
  CHECK(dut.slide() == 4);
}

TEST_CASE("a twist that comes or ends within a tick drives the steps of that time") {
  Pair dut;
  dut.fleet->advance(0, {}, 4ms);
  const std::vector<Input> drive{DriveCommand{kSlides, {{1, 0, 0}, {}}, 4ms}};
  dut.fleet->advance(0, drive, 6ms);
  dut.fleet->advance(0, {}, 8ms);
  dut.end();

  CHECK(dut.fleet->agent(kSlides)->statistics().distance == approx(0.004));
}

TEST_CASE("a tick in parts without inputs leaves what the tick in one does") {
  Pair whole, parts;
  const std::vector<Input> drive{DriveCommand{kBurger, {{0.2, 0, 0}, {0, 0, 0.5}}, 1s}};
  for (int i = 0; i < 20; ++i) {
    whole.end(i == 3 ? std::span<const Input>(drive) : std::span<const Input>());
    parts.fleet->advance(parts.k, i == 3 ? std::span<const Input>(drive) : std::span<const Input>(), 2ms);
    parts.fleet->advance(parts.k, {}, 6ms);
    parts.end();
  }

  for (Slot slot : SlotRange(2))
    CHECK(whole.fleet->world().snapshot().state(slot) == parts.fleet->world().snapshot().state(slot));
  CHECK(whole.fleet->inner(kBurger) == parts.fleet->inner(kBurger));
}

TEST_CASE("all agents' steps fall on the fleet's, which are not too short") {
  CHECK(physics_step(*Pair(10ms).fleet) == 10ms);
  CHECK(physics_step(*Pair(5ms).fleet) == 5ms);
  CHECK(physics_step(*Pair(500us).fleet) == kShortestStep);
  CHECK(physics_step(*Pair(400us).fleet) == 1200us);  // whole steps
}

}  // namespace parts_test
