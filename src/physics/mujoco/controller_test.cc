// Controllers against closed forms, instruments against the model, and wheels that are commanded one by one.
#include "core/approx.h"
#include "physics/mujoco/testing.h"

namespace controller_test {

using namespace convoy;
using namespace convoy::mujoco;

namespace {

// A disc of inertia 0.5 kg m^2 about a free axle, with a motor; one step a tick.
constexpr const char* kDisc =
    R"(<mujoco><compiler angle="radian"/><option timestep="0.01" gravity="0 0 0" integrator="Euler"/><worldbody>
  <body><joint name="axle" axis="0 0 1" range="-1 1" limited="true"/><inertial pos="0 0 0" mass="1" diaginertia="0.5 0.5 0.5"/>
  <site name="s"/></body></worldbody>
  <actuator><motor name="turn" joint="axle"/></actuator>
  <sensor><jointpos name="angle" joint="axle"/><gyro name="gyro" site="s"/></sensor></mujoco>)";

}  // namespace

TEST_CASE("PD turns the distance to the target and the speed into a torque, which has a limit") {
  Stage dut(written(kDisc));
  REQUIRE(dut.robot().set_parameter("mode", "pd"));
  REQUIRE(dut.run(0.01));
  CHECK(seen(dut.robot()).ctrl[0] == 0);  // it holds what it found

  REQUIRE(dut.robot().set_parameter("turn.kp", "10"));
  REQUIRE(dut.robot().set_parameter("turn.kv", "2"));
  REQUIRE(dut.run(0.01, {}, {{0, 0.5}}));
  CHECK(seen(dut.robot()).ctrl[0] == 10 * 0.5);
  CHECK(dut.tail[1] == approx(0.01 * 5 / 0.5));  // rad/s

  const double q = dut.tail[0], rate = dut.tail[1];
  REQUIRE(dut.run(0.01));
  CHECK(seen(dut.robot()).ctrl[0] == approx(10 * (0.5 - q) - 2 * rate).epsilon(1e-12));

  REQUIRE(dut.robot().set_parameter("turn.torque_limit", "0.25"));
  REQUIRE(dut.run(0.01, {}, {{0, -1}}));
  CHECK(seen(dut.robot()).ctrl[0] == -0.25);

  REQUIRE(dut.robot().set_parameter("gains", "default"));
  REQUIRE(dut.run(0.01, {}, {{0, 5}}));  // beyond the joint's limit of 1
  CHECK(dut.robot().inner().controller.gains[0] == Gains{100, 5, 200});
  CHECK(seen(dut.robot()).ctrl[0] < 100);
  CHECK(seen(dut.robot()).ctrl[0] > 90);

  REQUIRE(dut.robot().set_parameter("mode", "raw"));
  REQUIRE(dut.run(0.01, {}, {{0, 0.125}}));
  CHECK(seen(dut.robot()).ctrl[0] == 0.125);
}

TEST_CASE("a controller's settings are known by name, and nothing else changes it") {
  Stage dut(written(kDisc));
  const std::uint64_t before = dut.robot().inner().refused;
  CHECK_FALSE(dut.robot().set_parameter("turn.kp", "10"));  // it is off
  REQUIRE(dut.robot().set_parameter("mode", "pd"));
  const Controller fresh = dut.robot().inner().controller;
  for (const auto& [name, value] : {std::pair{"turn.kp", "nan"},
                                    {"turn.kp", "-1"},
                                    {"turn.kp", "1x"},
                                    {"turn.kp", ""},
                                    {"turn.k", "1"},
                                    {"twist.kp", "1"},
                                    {"kd", "1"},
                                    {"mode", "pid"},
                                    {"", ""},
                                    {"silence", "-1"},
                                    {"silence", "soon"},
                                    {"playing", "true"}})
    CHECK_FALSE(dut.robot().set_parameter(name, value));
  CHECK(dut.robot().inner().controller == fresh);
  CHECK(dut.robot().inner().refused == before + 13);
}

TEST_CASE("a controller is in the inner state, and goes on from there") {
  Stage dut(written(kDisc));
  REQUIRE(dut.robot().set_parameter("mode", "pd"));
  REQUIRE(dut.run(0.1, {}, {{0, 0.5}}));
  const auto twin = dut.another();
  const Bytes saved = dut.saved();
  Reader in(saved);
  REQUIRE(twin->load(in));
  REQUIRE(dut.run(0.1));
  State state = dut.state;
  std::vector<double> tail = dut.tail;
  PhysicsEvents events;
  for (int i = 0; i < 10; ++i) {
    PhysicsInput input;
    input.begin = dut.now - 10 * kTick + i * kTick, input.step = kTick, input.self = WorldNumber(1),
    input.map = &dut.world->map();
    twin->step(input, state, tail, events);
  }
  CHECK(tail == dut.tail);
}

TEST_CASE("the panel names joints, actuators and sensors, and reads what the last step computed") {
  Stage dut(written(kDisc));
  const Panel& panel = *dut.physics->panel();
  REQUIRE(panel.joints.size() == 1);
  CHECK(panel.joints[0].name == "axle");
  REQUIRE(panel.actuators.size() == 1);
  CHECK(panel.actuators[0].name == "turn");
  CHECK(panel.actuators[0].low == -100);
  REQUIRE(panel.sensors.size() == 2);
  CHECK(panel.sensors[1].name == "gyro");
  CHECK(panel.sensors[1].size == 3);
  CHECK(panel.bases.empty());

  REQUIRE(dut.run(0.02, {}, {{0, 2}}));
  PanelReadings read;
  REQUIRE(dut.physics->read(read));
  REQUIRE(read.joints.size() == 1);
  CHECK(read.joints[0].position == dut.tail[0]);
  CHECK(read.joints[0].velocity == dut.tail[1]);
  CHECK(read.joints[0].acceleration == approx(2 / 0.5));
  REQUIRE(read.sensors.size() == 4);
  CHECK(read.sensors[3] == approx(0.01 * 4));  // as the second step began
}

TEST_CASE("a free body is a base, where it is in the world") {
  Stage dut(
      written(
          R"(<mujoco><worldbody><body pos="0 0 1"><freejoint name="float"/><geom size="0.1"/></body></worldbody></mujoco>)"),
      {{3, 4, 0}, {}});
  REQUIRE(dut.physics->panel()->bases.size() == 1);
  CHECK(dut.physics->panel()->bases[0].name == "float");
  PanelReadings read;
  REQUIRE(dut.physics->read(read));
  CHECK(read.bases[0].X_WB.p == Vec3{3, 4, 1});
}

TEST_CASE("wheels that are commanded one by one are left alone until a twist comes") {
  Stage dut(shipped("turtlebot3_burger"));
  REQUIRE(dut.run(0.5));
  REQUIRE(dut.run(1, {}, {{0, 3}, {1, 3}}));
  CHECK(dut.tail[2] == approx(3).epsilon(0.05));  // rad/s, still
  REQUIRE(dut.run(1, {{0.05, 0, 0}, {}}));
  CHECK(dut.tail[2] == approx(0.05 / 0.033).epsilon(0.05));
  REQUIRE(dut.run(1));
  CHECK(std::fabs(dut.tail[2]) < 0.05);
}

}  // namespace controller_test
