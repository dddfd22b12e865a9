// One part of a robot at a time, from outside: forces, joints, mocap bodies, options, keyframes; and what it touches.
#include "core/approx.h"
#include "physics/mujoco/ghost_rig.h"

namespace parts_test {

using namespace convoy;
using namespace convoy::mujoco;

namespace {

using Kind = SetPart::Kind;

constexpr const char* kFloating = R"(<mujoco><option timestep="0.002" gravity="0 0 0"/><worldbody>
  <body name="hull" pos="0 0 1"><freejoint/><geom type="box" size="0.1 0.2 0.3" mass="2"/>
    <body name="fin" pos="0.5 0 0"><joint name="hinge" axis="0 0 1"/><geom size="0.05" mass="0.1"/></body></body>
  </worldbody></mujoco>)";
constexpr const char* kCrate =
    R"(<mujoco><option timestep="0.002"/><worldbody><body name="crate" pos="0 0 0.1"><freejoint/>
  <geom type="box" size="0.1 0.1 0.1" mass="2"/></body></worldbody></mujoco>)";
const Pose kThere{{20, 3, 0}, from_yaw(1.1)};

SetPart part(Kind kind, const std::string& name, std::vector<double> values, Duration lasts = Duration(0)) {
  return {WorldNumber(1), kind, name, std::move(values), lasts};
}

void set(Stage& dut, const SetPart& edit) {
  const auto ok = dut.world->check(edit);
  if (!ok) FAIL(ok.error().message());
  dut.physics->set_part(edit, dut.now);
}

std::vector<ContactReading> touches(Stage& dut) {
  PhysicsInput input;
  input.begin = dut.now, input.step = kTick, input.self = WorldNumber(1), input.map = &dut.world->map();
  input.files = &dut.world->files(), input.environment = &dut.environment;
  Feeling out;
  REQUIRE(dut.physics->feel(input, dut.state, dut.tail, out));
  return out.contacts;
}

}  // namespace

TEST_CASE(
    "a force in the world moves a body as long as it lasts, wherever the file stands, and ends on a physics step") {
  for (const Pose& at : {Pose{}, kThere}) {
    Stage dut(written(kFloating), at);
    set(dut, part(Kind::kForce, "", {4.2, 0, 0, 0, 0, 0}, std::chrono::milliseconds(24)));
    REQUIRE(dut.run(0.1));
    CHECK(dut.state.twist.v.x + 0.0 == approx(4.2 / 2.1 * 0.024).epsilon(0.05));  // 12 steps of 2 ms
    const double before = dut.state.twist.v.x;
    REQUIRE(dut.run(0.1));
    CHECK(dut.state.twist.v.x == approx(before).epsilon(0.05));
    CHECK(dut.robot().inner().pushes.empty());
    const double* row = dut.robot().row().data();
    CHECK(std::count(row, row + dut.robot().row().size(), 4.2) == 0);  // none is left in the engine
  }
  Stage other(written(kFloating));
  set(other, part(Kind::kForce, "hull", {0, 0, 0, 0, 0, 0.5}, std::chrono::seconds(5)));
  set(other, part(Kind::kForce, "hull", {2.1, 0, 0, 0, 0, 0}, std::chrono::seconds(5)));  // takes its place
  REQUIRE(other.run(0.1));
  CHECK(std::fabs(other.state.twist.w.z) < 0.01);
  CHECK(other.state.twist.v.x == approx(0.1).epsilon(0.05));
  set(other, part(Kind::kForce, "hull", {0, 0, 0, 0, 0, 0}));
  const double before = other.state.twist.v.x;
  REQUIRE(other.run(0.1));
  CHECK(other.state.twist.v.x == approx(before).epsilon(0.05));
}

TEST_CASE("a robot that is saved under a force goes on under it, and one that is put back has none") {
  Stage dut(written(kFloating), kThere);
  set(dut, part(Kind::kForce, "fin", {0, 0, 1, 0, 0, 0}, std::chrono::milliseconds(100)));
  REQUIRE(dut.run(0.05));
  const auto again = dut.another();
  const Bytes bytes = dut.saved();
  Reader in(bytes);
  REQUIRE(again->load(in));
  State state = dut.state;
  std::vector<double> tail = dut.tail;
  PhysicsEvents events;
  PhysicsInput input;
  input.begin = dut.now, input.step = kTick, input.self = WorldNumber(1), input.map = &dut.world->map();
  again->step(input, state, tail, events);
  REQUIRE(dut.run(0.01));
  CHECK(state == dut.state);
  CHECK(tail == dut.tail);
  dut.physics->reset(dut.world->snapshot().state(Slot(0)));
  CHECK(dut.robot().inner().pushes.empty());
}

TEST_CASE("a joint and a mocap body are put where they are told, and the rest stays as it is") {
  Stage dut(written(R"(<mujoco><option timestep="0.002" gravity="0 0 0"/><worldbody>
    <body name="target" mocap="true" pos="0 0 2"/>
    <body name="arm"><joint name="a" axis="0 0 1"/><geom size="0.1"/>
      <body pos="1 0 0"><joint name="b" axis="0 0 1"/><geom size="0.1"/></body></body></worldbody></mujoco>)"),
            kThere);
  set(dut, part(Kind::kJoint, "b", {0.5}));
  CHECK(seen(dut.robot()).qpos[0] == 0);
  CHECK(seen(dut.robot()).qpos[1] == 0.5);
  set(dut, part(Kind::kJoint, "a", {-0.25, 2}));
  CHECK(seen(dut.robot()).qvel[0] == 2);
  REQUIRE(dut.run(0.01));
  CHECK(dut.tail[0] == approx(-0.23).epsilon(0.02));
  set(dut, part(Kind::kMocap, "target", {21, 4, 1}));
  const Unfolded now(dut.robot());
  const Pose X_WM = kThere * Pose{vec(now->mocap_pos), quat(now->mocap_quat)};
  CHECK(norm(X_WM.p - Vec3{21, 4, 1}) < 1e-12);
  CHECK(std::fabs(X_WM.q.z - kThere.q.z) < 1e-12);  // as it was
}

TEST_CASE("an option of the engine holds for this robot, is saved with it, and stays beside neighbours") {
  Stage dut(written(kCrate)), same(written(kCrate));
  REQUIRE(dut.run(0.1));
  REQUIRE(same.run(0.1));
  CHECK(dut.saved() == same.saved());
  set(dut, part(Kind::kOption, "solver", {0}));
  set(dut, part(Kind::kOption, "iterations", {1}));
  REQUIRE(dut.run(0.1));
  REQUIRE(same.run(0.1));
  CHECK(dut.tail.size() == same.tail.size());
  CHECK_FALSE(dut.state == same.state);  // PGS, one iteration
  const auto again = dut.another();
  const Bytes bytes = dut.saved();
  Reader from(bytes);
  REQUIRE(again->load(from));
  CHECK(dynamic_cast<Robot&>(*again).inner().options == dut.robot().inner().options);
  CHECK(dut.robot().inner().options.size() == 2);
}

TEST_CASE("what stands on the ground is borne by it: the contact's force is its weight, upwards, in the world") {
  Stage dut(written(kCrate), kThere);
  REQUIRE(dut.run(2));
  const Bytes before = dut.saved();
  const std::vector<ContactReading> found = touches(dut);
  CHECK(dut.saved() == before);
  REQUIRE(found.size() >= 3);
  Vec3 sum;
  for (const ContactReading& one : found) {
    CHECK(one.body == "crate");
    CHECK(one.other == kNoEntity);
    CHECK(one.other_body == "world");
    CHECK(one.normal.z == approx(1));
    CHECK(std::fabs(one.position.z) < 0.01);
    CHECK(norm(one.position - dut.state.pose.p) < 0.2);
    sum = sum + one.force;
  }
  CHECK(sum.z == approx(2 * 9.81).epsilon(0.01));
  CHECK(std::hypot(sum.x, sum.y) < 0.05);
}

TEST_CASE("another agent is named in a contact, and pushes away from itself") {
  const std::string pushed = R"(<mujoco><option timestep="0.002"/><worldbody><body name="cart" pos="0 0 0.1">
    <joint type="slide" axis="1 0 0" damping="1"/><geom type="box" size="0.1 0.1 0.1" mass="1"/></body></worldbody>
    <actuator><motor name="push" joint="" gear="1"/></actuator></mujoco>)";
  std::string cart = pushed;
  cart.replace(cart.find("<joint type"), 11, "<joint name=\"x\" type");
  cart.replace(cart.find("joint=\"\""), 8, "joint=\"x\"");
  GhostRig rig({{written(cart), {}}, {written(kCrate), {{0.2, 0, 0}, {}}}});
  rig.controls[0] = {{0, 4.0}};
  rig.run(0.3);
  std::vector<ContactReading> found;
  const Snapshot& now = rig.world->snapshot();
  const Neighbour crate{now.number(Slot(1)),
                        &now.state(Slot(1)),
                        &rig.world->model_of(Slot(1)),
                        now.tail(Slot(1)),
                        false,
                        false,
                        {},
                        rig.world->entity(Slot(1)).pose};
  PhysicsInput input;
  input.begin = rig.begin, input.step = kTick, input.self = WorldNumber(1), input.map = &rig.world->map();
  input.neighbours = {&crate, 1}, input.files = &rig.world->files();
  Feeling felt;
  REQUIRE(rig.robot(0).feel(input, rig.state(0), rig.tail(0), felt));
  found = felt.contacts;
  double away = 0;
  for (const ContactReading& one : found) {
    CHECK(one.body == "cart");
    if (one.other != WorldNumber(2)) continue;
    away += one.force.x;
    CHECK(one.normal.x == approx(-1).epsilon(0.01));
  }
  CHECK(away < -0.5);
}

TEST_CASE("a robot begins in the keyframe that is asked for, its base and joints, raised or turned") {
  const ImportedModel model = written(R"(<mujoco><option timestep="0.002" gravity="0 0 0"/><worldbody>
    <body name="hull" pos="0 0 0.5"><freejoint/><geom size="0.1"/>
      <body><joint name="knee" axis="0 1 0"/><geom size="0.05" pos="0 0 -0.2"/></body></body></worldbody>
    <keyframe><key name="home" qpos="0 0 0.5 1 0 0 0 0"/><key name="squat" qpos="0.1 0 0.3 1 0 0 0 1.2"/></keyframe>
    </mujoco>)");
  REQUIRE(model.model.keyframes.size() == 2);
  for (const Pose& at : {Pose{}, kThere, Pose{{1, 2, 3}, {std::sqrt(0.5), std::sqrt(0.5), 0, 0}}}) {
    Setup setup;
    setup.models = {model.model}, setup.files = model.files, setup.tick = kTick;
    EntitySpec spec;
    spec.name = "dut", spec.model = model.model.name, spec.pose = at, spec.keyframe = "squat";
    setup.entities = {spec};
    const auto world = World::make(setup);
    REQUIRE(world);
    const State& begins = world->snapshot().state(Slot(0));
    CHECK(norm(begins.pose.p - (at * Pose{{0.1, 0, -0.2}, {}}).p) < 1e-12);
    CHECK(world->joints(Slot(0))[0] == 1.2);
    Factory factory;
    const auto dut = factory.make(*world->models()[0], *world, kTick);
    dut->start_from("squat");
    State state = begins;
    state.pose = at;
    dut->reset(state);
    std::vector<double> tail(world->snapshot().tail(Slot(0)).size());
    PhysicsEvents events;
    PhysicsInput input;
    input.step = kTick, input.self = WorldNumber(1), input.map = &world->map(), input.files = &world->files();
    dut->step(input, state, tail, events);
    CHECK(norm(state.pose.p - begins.pose.p) < 1e-6);
    CHECK(tail[0] == approx(1.2));
    setup.entities[0].keyframe = "squatt";
    CHECK(World::make(setup).error().message() == "the model 'dut' has no keyframe 'squatt'; did you mean 'squat'?");
  }
}

TEST_CASE("what its sensors feel follows from its state alone, whatever led there, and asking changes nothing") {
  const ImportedModel model = written(R"(<mujoco><option timestep="0.002"/><worldbody>
      <body name="crate" pos="0 0 0.3"><freejoint/><geom type="box" size="0.1 0.1 0.1" mass="2"/><site name="top" pos="0 0 0.1"/>
      </body></worldbody><sensor><accelerometer name="felt" site="top"/><framepos name="place" objtype="site" objname="top"/>
      </sensor></mujoco>)");
  Stage dut(model, kThere), silent(model, kThere);
  const auto felt = [](Stage& stage, const Physics& physics) {
    PhysicsInput input;
    input.begin = stage.now, input.step = kTick, input.self = WorldNumber(1), input.map = &stage.world->map();
    input.files = &stage.world->files(), input.environment = &stage.environment;
    Feeling out;
    REQUIRE(physics.feel(input, stage.state, stage.tail, out));
    return out.sensors;
  };
  for (int i = 0; i < 60; ++i) {  // falls, and lies
    REQUIRE(dut.run(0.01));
    REQUIRE(silent.run(0.01));
    const std::vector<double> here = felt(dut, *dut.physics);
    REQUIRE(here.size() == 6);
    const auto again = dut.another();
    const Bytes bytes = dut.saved();
    Reader in(bytes);
    REQUIRE(again->load(in));
    REQUIRE(felt(dut, *again) == here);
    REQUIRE(dut.state == silent.state);
  }
  CHECK(felt(dut, *dut.physics)[2] == approx(9.81).epsilon(1e-3));
  CHECK(felt(dut, *dut.physics)[3] == approx(20).epsilon(1e-3));  // in the world
  CHECK(felt(dut, *dut.physics)[5] == approx(0.2).epsilon(0.01));
}

}  // namespace parts_test
