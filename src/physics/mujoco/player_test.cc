// Poses that are played, as values over time; and controls that are no longer sent.
#include "physics/mujoco/player.h"
#include "core/approx.h"

#include "physics/mujoco/testing.h"

namespace player_test {

using namespace convoy;
using namespace convoy::mujoco;

namespace {

using std::chrono::milliseconds;

// A motor, a position servo and a velocity servo on three axles, with a keyframe.
constexpr const char* kAxles =
    R"(<mujoco><compiler angle="radian"/><option timestep="0.005" gravity="0 0 0"/><worldbody>
  <body><joint name="a" axis="0 0 1"/><inertial pos="0 0 0" mass="1" diaginertia="0.5 0.5 0.5"/></body>
  <body><joint name="b" axis="0 0 1"/><inertial pos="0 0 0" mass="1" diaginertia="0.5 0.5 0.5"/></body>
  <body><joint name="c" axis="0 0 1"/><inertial pos="0 0 0" mass="1" diaginertia="0.5 0.5 0.5"/></body></worldbody>
  <actuator><motor name="push" joint="a"/><position name="hold" joint="b" kp="10"/><velocity name="turn" joint="c" kv="1"/></actuator>
  <keyframe><key name="start" qpos="0 0 0" ctrl="0 0.25 0"/><key name="up" qpos="0.75 0.5 0" ctrl="0 0.5 0"/></keyframe></mujoco>)";

ControllerSpec playing(std::vector<PoseSpec> poses) {
  ControllerSpec out;
  out.kind = ControllerKind::kKeyframes;
  out.poses = std::move(poses);
  out.start_delay = milliseconds(20);
  return out;
}
PoseSpec pose(std::vector<TargetSpec> targets, int blend_ms, int hold_ms, bool ease = false) {
  return {"", std::move(targets), milliseconds(blend_ms), milliseconds(hold_ms), ease};
}
const double* ctrl(Stage& stage) { return seen(stage.robot()).ctrl.data(); }

}  // namespace

TEST_CASE("a pose is reached within its blend, held, and followed by the next one") {
  Plan plan;
  plan.poses = {{{1.0, {}}, milliseconds(100), milliseconds(50), false},
                {{3.0, 5.0}, milliseconds(200), milliseconds(0), true}};
  plan.moves = {1, 1};
  plan.loop = false;
  const auto at = [&](std::size_t actuator, int ms) { return value_at(plan, actuator, -1, milliseconds(ms)); };

  CHECK(at(0, 0) == -1);
  CHECK(at(0, 50) == about(0, 1e-9));  // half of the way from -1 to 1
  CHECK(at(0, 100) == 1);
  CHECK(at(0, 149) == 1);
  CHECK(at(0, 200) == approx(1 + 2 * 0.15625));  // a quarter: 3/16 - 2/64
  CHECK(at(0, 250) == approx(2));
  CHECK(at(0, 10'000) == 3);
  CHECK(at(1, 100) == -1);  // the first pose does not name it
  CHECK(at(1, 250) == approx(2));
  CHECK_FALSE(is_over(plan, milliseconds(349)));
  CHECK(is_over(plan, milliseconds(350)));

  plan.loop = true;
  CHECK(at(0, 400) == approx(2));  // on the way from the last pose to the first
  CHECK(at(0, 450) == 1);
  CHECK(at(1, 450) == -1);
  CHECK_FALSE(is_over(plan, milliseconds(100'000)));
  for (Plan::Pose& one : plan.poses) one.blend = one.hold = Duration(0);
  CHECK(at(0, 0) == 3);  // poses that take no time are over at once
  CHECK(is_over(plan, Duration(0)));
}

TEST_CASE("poses move actuators after the delay, until a source controls one") {
  Stage dut(written(kAxles));
  ControllerSpec spec = playing(
      {pose({{"turn", 2}, {"push", 0.5}}, 40, 20), {"up", {{"push", -0.5}}, milliseconds(40), milliseconds(0), false}});
  dut.robot().set_controller(spec);

  REQUIRE(dut.run(0.02));
  CHECK(ctrl(dut)[2] == 0);
  REQUIRE(dut.run(0.02));
  CHECK(ctrl(dut)[2] == approx(2 * 15 / 40.0));  // at the last step's beginning
  CHECK(ctrl(dut)[0] == approx(0.5 * 15 / 40.0));
  CHECK(ctrl(dut)[1] == 0.25);  // as it starts: the first pose does not name it
  REQUIRE(dut.run(0.06));
  CHECK(ctrl(dut)[1] == approx(0.25 + 0.25 * 15 / 40.0));
  CHECK(dut.robot().parameters() ==
        std::vector<std::pair<std::string, std::string>>{{"mode", "raw"}, {"silence", "hold"}, {"playing", "true"}});

  REQUIRE(dut.run(0.01, {}, {{1, 0.125}}));
  const double left = ctrl(dut)[2];
  REQUIRE(dut.run(0.1));
  CHECK(ctrl(dut)[1] == 0.125);
  CHECK(ctrl(dut)[2] == left);
  CHECK(dut.robot().inner().controller.playing == false);
  REQUIRE(dut.robot().set_parameter("playing", "true"));
  REQUIRE(dut.run(0.08));  // the delay, the blend and half of the hold
  CHECK(ctrl(dut)[2] == 2);
}

TEST_CASE("with gains a keyframe gives motors the positions of their joints as targets") {
  Stage dut(written(kAxles));
  ControllerSpec spec = playing({{"up", {}, Duration(0), milliseconds(10), false}});
  spec.pd = true, spec.kp = 40, spec.kv = 8, spec.loop = false;
  dut.robot().set_controller(spec);
  REQUIRE(dut.run(3));
  CHECK(dut.tail[0] == approx(0.75).epsilon(0.01));
  CHECK(dut.robot().inner().controller.targets[0] == 0.75);
  CHECK(ctrl(dut)[1] == 0.5);
  CHECK_FALSE(dut.robot().inner().controller.playing);
}

TEST_CASE("what is played pauses while another source rules, and goes on from the inner state") {
  Stage dut(written(kAxles));
  const ControllerSpec spec = playing({pose({{"turn", 1}}, 100, 0, true), pose({{"turn", -1}}, 70, 30, true)});
  dut.robot().set_controller(spec);
  REQUIRE(dut.run(0.35));
  const auto twin = dut.another();
  twin->set_controller(spec);
  const Bytes saved = dut.saved();
  Reader in(saved);
  REQUIRE(twin->load(in));

  State state = dut.state;
  std::vector<double> tail = dut.tail;
  PhysicsEvents events;
  PhysicsInput input;
  input.begin = dut.now, input.step = kTick, input.self = WorldNumber(1), input.map = &dut.world->map(),
  input.may_play = false;
  const double before = seen(*twin).ctrl[2];
  twin->step(input, state, tail, events);
  CHECK(seen(*twin).ctrl[2] == before);

  Reader again(saved);
  REQUIRE(twin->load(again));
  state = dut.state, tail = dut.tail;
  input.may_play = true;
  for (int i = 0; i < 20; ++i, input.begin += kTick) twin->step(input, state, tail, events);
  REQUIRE(dut.run(0.2));
  CHECK(tail == dut.tail);
}

TEST_CASE("a control that is not repeated stops after the silence, where it pushes or turns") {
  Stage dut(written(kAxles));
  ControllerSpec spec;
  spec.silence = milliseconds(30);
  dut.robot().set_controller(spec);

  REQUIRE(dut.run(0.03, {}, {{0, 0.5}, {1, 0.5}, {2, 1}}));
  CHECK(ctrl(dut)[0] == 0.5);
  REQUIRE(dut.run(0.02, {}, {{0, 0.25}}));
  CHECK(ctrl(dut)[2] == 1);  // one of its controls came
  REQUIRE(dut.run(0.02));
  CHECK(ctrl(dut)[0] == 0);
  CHECK(ctrl(dut)[1] == 0.5);  // holds its position
  CHECK(ctrl(dut)[2] == 0);

  REQUIRE(dut.robot().set_parameter("mode", "pd"));
  REQUIRE(dut.run(0.1, {}, {{0, 1}}));
  CHECK(dut.robot().inner().controller.targets[0] == 1);
  REQUIRE(dut.robot().set_parameter("silence", "hold"));
  REQUIRE(dut.run(0.1, {}, {{2, 1}}));
  CHECK(ctrl(dut)[2] == 1);
}

TEST_CASE("a controller's specification is checked against the model") {
  Stage dut(written(kAxles));
  const mjModel* m = dut.robot().compiled().model;
  ControllerSpec spec = playing({{"up", {{"push", 1}}, {}, {}, true}});
  spec.gains = {{"push", 1, {}, {}}};
  CHECK(mujoco::check(spec, m));
  spec.poses[0].keyframe = "down";
  CHECK(mujoco::check(spec, m).error().text == "the model has no keyframe 'down'");
  spec.poses[0] = pose({{"pull", 1}}, 0, 0);
  CHECK(mujoco::check(spec, m).error().text == "the model has no actuator 'pull'");
  spec.poses.clear(), spec.gains[0].actuator = "lift";
  CHECK(mujoco::check(spec, m).error().text == "the model has no actuator 'lift'");
}

TEST_CASE("PD that is named is there from the start, with gains of all and of one") {
  Stage dut(written(kAxles));
  ControllerSpec spec;
  spec.kind = ControllerKind::kPd, spec.pd = true, spec.kp = 7, spec.torque_limit = 3;
  spec.gains = {{"push", {}, 0.5, {}}};
  dut.robot().set_controller(spec);
  CHECK(dut.robot().inner().controller.gains[0] == Gains{7, 0.5, 3});
  CHECK(dut.robot().inner().controller.gains[1] == Gains{7, 5, 3});
  REQUIRE(dut.robot().set_parameter("gains", "default"));
  CHECK(dut.robot().inner().controller.gains[0] == Gains{7, 5, 3});
  REQUIRE(dut.robot().set_parameter("kv", "2"));
  CHECK(dut.robot().inner().controller.gains[0] == Gains{7, 2, 3});
  const auto reported = dut.robot().parameters();
  CHECK(std::find(reported.begin(), reported.end(), std::pair<std::string, std::string>("push.kv", "2")) !=
        reported.end());
  CHECK(std::count_if(reported.begin(), reported.end(), [](const auto& p) { return p.first.starts_with("hold."); }) ==
        0);
}

}  // namespace player_test
