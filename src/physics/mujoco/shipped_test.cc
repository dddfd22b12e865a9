// Every robot that comes with Convoy does what its page promises.
#include "core/approx.h"
#include "physics/mujoco/testing.h"

namespace shipped_test {

using namespace convoy;
using namespace convoy::mujoco;

namespace {

// How far the robot's frame leans, rad.
double lean(const State& state) { return std::acos(std::min(1.0, rotate(state.pose.q, {0, 0, 1}).z)); }

std::vector<Control> controls_of_key(const Stage& stage, const Robot& robot, const char* key) {
  const mjModel* m = robot.compiled().model;
  const int id = mj_name2id(m, mjOBJ_KEY, key);
  REQUIRE(id >= 0);
  std::vector<Control> out;
  for (std::uint32_t a = 0; a < stage.model().actuators.size(); ++a)
    out.push_back({a, m->key_ctrl[id * m->nu + static_cast<int>(a)]});
  return out;
}

Bytes saved_after(Stage& dut, double duration, const Twist& command) {
  REQUIRE(dut.run(duration, command));
  return dut.saved();
}

}  // namespace

TEST_CASE("the humanoid and the quadruped stand for 10 s") {
  for (const std::string name : {"humanoid", "quadruped"}) {
    CAPTURE(name);
    const std::size_t joints = name == "humanoid" ? 29 : 12;
    Stage dut(shipped(name), {{4, -3, 0}, {0.8, 0, 0, 0.6}});
    CHECK(dut.model().joints.size() == joints);
    CHECK(dut.model().actuators.size() == joints);
    for (int second = 0; second < 10; ++second) {
      REQUIRE(dut.run(1));
      CHECK(lean(dut.state) < 0.1);
      CHECK(std::fabs(dut.state.pose.p.z) < 0.05);
      CHECK(std::hypot(dut.state.pose.p.x - 4, dut.state.pose.p.y + 3) < 0.1);
    }
  }
}

TEST_CASE("the arm reaches the targets that its actuators get") {
  Stage dut(shipped("arm"), {{1, 2, 0}, {0, 0, 0, 1}});
  for (const char* key : {"home", "side", "up", "home"}) {
    CAPTURE(key);
    const std::vector<Control> wanted = controls_of_key(dut, dut.robot(), key);
    REQUIRE(dut.run(3, {}, wanted));
    for (std::size_t i = 0; i < wanted.size(); ++i) CHECK(dut.tail[i] == about(wanted[i].value, 0.01));
  }
  CHECK(dut.state.pose == Pose{{1, 2, 0}, {0, 0, 0, 1}});
  CHECK(dut.model().drive == Drive::kNone);
}

TEST_CASE("the waffle follows a twist within 5 %, the rover a straight one") {
  Stage waffle(shipped("turtlebot3_waffle")), rover(shipped("rover"));
  REQUIRE(waffle.run(1));
  REQUIRE(rover.run(1));
  REQUIRE(waffle.run(4, {{0.2, 0, 0}, {}}));
  REQUIRE(rover.run(4, {{1, 0, 0}, {}}));
  CHECK(waffle.state.pose.p.x == approx(0.8 - 0.2 * 0.2 / 2 / 2.5).epsilon(0.05));
  CHECK(rover.state.pose.p.x == approx(4 - 1 / 2.0 / 2).epsilon(0.05));
  CHECK(rover.model().left_wheels.size() == 2);
  REQUIRE(waffle.run(2, {{0, 0, 0}, {0, 0, 1}}));
  CHECK(waffle.state.twist.w.z == approx(1).epsilon(0.05));
  REQUIRE(rover.run(2, {{0, 0, 0}, {0, 0, 1}}));
  CHECK(rover.state.twist.w.z > 0.5);
  CHECK(rover.state.twist.w.z < 1.3);
}

TEST_CASE("step, save, step, restore, step gives the same bytes for every shipped robot, in a fresh one too") {
  for (const char* name : {"turtlebot3_burger", "turtlebot3_waffle", "rover", "arm", "quadruped", "humanoid"}) {
    CAPTURE(name);
    Stage dut(shipped(name));
    const Twist command{{0.2, 0, 0}, {0, 0, 0.7}};
    const Bytes there = saved_after(dut, 0.5, command);
    const State state = dut.state;
    const std::vector<double> tail = dut.tail;
    const Bytes wanted = saved_after(dut, 0.5, command);
    const State wanted_state = dut.state;

    for (bool fresh : {false, true}) {
      CAPTURE(fresh);
      if (fresh) dut.physics = dut.another();
      Reader in(there);
      REQUIRE(dut.physics->load(in));
      CHECK(dut.saved() == there);
      dut.state = state, dut.tail = tail;
      CHECK(saved_after(dut, 0.5, command) == wanted);
      CHECK(dut.state.pose == wanted_state.pose);
      CHECK(dut.state.twist == wanted_state.twist);
    }
  }
}

}  // namespace shipped_test
