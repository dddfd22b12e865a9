#include "physics/mujoco/import_world.h"

#include "physics/mujoco/testing.h"
#include "world/world_model.h"

using namespace convoy;
using namespace convoy::mujoco;

namespace {

constexpr const char* kHall = R"(<mujoco>
  <option timestep="0.005"/>
  <default><geom friction="0.8"/></default>
  <worldbody>
    <light pos="0 0 3"/>
    <geom name="floor" type="plane" size="5 5 1" friction="1 0.005 0.0001"/>
    <geom name="wall" type="box" size="0.1 1 0.5" pos="1 0 0.5" euler="0 0 90"/>
    <geom name="lamp" type="sphere" size="0.2" pos="0 0 3"/>
    <body name="shelf" pos="-1 0 0"><geom name="foot" type="cylinder" size="0.2 0.3" pos="0 0 0.3"/></body>
    <body name="crate_1" pos="0 2 0.1"><freejoint/><geom type="box" size="0.1 0.1 0.1"/></body>
    <body name="crate_2" pos="0 2 0.31"><freejoint/><geom type="box" size="0.1 0.1 0.1"/></body>
    <body name="door" pos="3 0 0"><joint name="hinge" axis="0 0 1" damping="1"/><geom type="box" size="0.4 0.02 1" pos="0.4 0 1.05"/></body>
  </worldbody>
</mujoco>)";

ImportedWorld hall() {
  REQUIRE(start(CONVOY_MUJOCO_PLUGINS));
  auto made = import_world("/w/hall.xml", {of({{"/w/hall.xml", kHall}}), {}, {}, {}, {}});
  if (!made) FAIL(made.error().message());
  return std::move(*made);
}

// A world of the hall, its objects and one robot.
World world_of(ImportedWorld hall, ImportedModel robot, const Pose& at) {
  Setup setup;
  setup.tick = kTick;
  setup.models = {robot.model, hall.fixed.model, hall.objects->model};
  for (const auto* part : {&robot, &hall.fixed, &*hall.objects})
    setup.files.insert(setup.files.end(), part->files.begin(), part->files.end());
  for (const auto& [name, model, pose] :
       {std::tuple{"dut", robot.model.name, at}, {"objects", std::string(kWorldObjects), Pose{}}}) {
    EntitySpec spec;
    spec.name = name, spec.model = model, spec.pose = pose;
    setup.entities.push_back(spec);
  }
  auto made = World::make(setup);
  if (!made) FAIL(made.error().message());
  return std::move(*made);
}

struct Actor {
  Actor(const Factory& factory, const World& world, Slot slot)
      : physics(factory.make(world.model_of(slot), world, kTick)),
        state(world.snapshot().state(slot)),
        tail(world.snapshot().tail(slot).begin(), world.snapshot().tail(slot).end()) {
    physics->reset(state);
  }
  void run(double duration, const Twist& command = {}) {
    for (int i = 0; i < static_cast<int>(duration / 0.01); ++i) {
      PhysicsEvents events;
      physics->step({now, kTick, WorldNumber(1), command, nullptr, nullptr, {}, {}, {}}, state, tail, events);
      REQUIRE_MESSAGE(events.fault.empty(), events.fault);
      now += kTick;
    }
  }
  std::unique_ptr<Physics> physics;
  State state;
  std::vector<double> tail;
  Instant now{};
};

}  // namespace

TEST_CASE("a world's fixed geoms are boxes on the map, but for what hangs above robots") {
  const ImportedWorld dut = hall();
  REQUIRE(dut.boxes.size() == 2);
  CHECK(dut.boxes[0].x == doctest::Approx(1));
  CHECK(dut.boxes[0].length == doctest::Approx(0.2));
  CHECK(dut.boxes[0].width == doctest::Approx(2));
  CHECK(std::fabs(dut.boxes[0].yaw) == doctest::Approx(1.5707963));
  CHECK(dut.boxes[1].x == doctest::Approx(-1));
  CHECK(dut.boxes[1].height == doctest::Approx(0.6));
  CHECK(dut.fixed.model.footprint.empty());
}

TEST_CASE("robots are stopped by a world's geoms, and its objects are solved together beside them") {
  const World world = world_of(hall(), shipped("turtlebot3_burger"), {{0.5, -0.5, 0}, {0.70710678, 0, 0, 0.70710678}});
  const Factory factory;
  Actor robot(factory, world, Slot(0)), objects(factory, world, Slot(1));
  robot.run(6, {{0.2, 0, 0}, {}});
  CHECK(robot.state.pose.p.y < -0.13);  // the wall lies along x, its face at -0.1
  CHECK(robot.state.pose.p.y > -0.2);

  const Model& model = world.model_of(Slot(1));
  const auto joint = [&](const std::string& name) {
    const auto found = std::find(model.joints.begin(), model.joints.end(), name);
    REQUIRE(found != model.joints.end());
    return static_cast<std::size_t>(found - model.joints.begin());
  };
  CHECK(model.joints.size() == 1 + 2 * 7);
  CHECK(objects.tail[joint("crate_2:z")] == 0.31);
  objects.run(2);
  CHECK(objects.tail[joint("crate_1:z")] == doctest::Approx(0.1).epsilon(0.01));
  CHECK(objects.tail[joint("crate_2:z")] == doctest::Approx(0.3).epsilon(0.01));
  CHECK(objects.state.pose == Pose{});
}
