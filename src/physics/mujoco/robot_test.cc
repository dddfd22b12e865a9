#include "core/approx.h"
#include "core/hash.h"
#include "physics/mujoco/testing.h"

namespace robot_test {

using namespace convoy;
using namespace convoy::mujoco;

namespace {

constexpr const char* kFallingBox = R"(<mujoco><option timestep="0.002"/><worldbody>
  <body pos="0 0 0.5"><freejoint/><geom type="box" size="0.1 0.1 0.1"/></body></worldbody></mujoco>)";

// An empty hall of 4 m x 4 m with walls of one cell.
MapData hall() {
  MapData map;
  map.width = map.height = 80, map.resolution = 0.05, map.origin = {-2, -2, 0};
  map.cells.assign(80 * 80, 0);
  for (std::size_t i = 0; i < 80; ++i)
    map.cells[i] = map.cells[79 * 80 + i] = map.cells[i * 80] = map.cells[i * 80 + 79] = 1;
  return map;
}

}  // namespace

TEST_CASE("the burger follows a twist within 1 %, straight and turning") {
  Stage dut(shipped("turtlebot3_burger"), {{1, -2, 0}, {0.8, 0, 0, 0.6}});
  CHECK(dut.model().drive == Drive::kDifferential);
  CHECK(dut.model().wheel_radius == approx(0.033));
  CHECK(dut.model().half_separation == approx(0.08));
  REQUIRE(dut.run(1));  // it settles
  const State before = dut.state;
  CHECK(before.pose.p.x == approx(1).epsilon(0.01));

  REQUIRE(dut.run(5, {{0.2, 0, 0}, {}}));
  const Vec3 way = rotate(before.pose.q.conjugate(), dut.state.pose.p - before.pose.p);
  CHECK(way.x == approx(0.2 * 5 - 0.2 * 0.2 / 2 / 2.5).epsilon(0.01));
  CHECK(std::fabs(way.y) < 0.01);
  CHECK(dut.events.wheel_left == approx(0.2).epsilon(0.01));
  CHECK(dut.events.wheel_right == approx(0.2).epsilon(0.01));

  REQUIRE(dut.run(1));
  double turned = 0;
  for (int i = 0; i < 300; ++i) {
    REQUIRE(dut.run(0.01, {{0.1, 0, 0}, {0, 0, 1}}));
    turned += dut.state.twist.w.z * 0.01;
  }
  CHECK(turned == approx(3 - 1.0 / 2 / 3.2).epsilon(0.01));
}

TEST_CASE("joints are in the tail, and the state is that of the frame on the ground") {
  Stage dut(shipped("turtlebot3_burger"), {{3, 4, 0}, {}});
  REQUIRE(dut.run(2, {{0.2, 0, 0}, {}}));
  CHECK(dut.state.pose.p.z == about(0, 0.002));
  REQUIRE(dut.tail.size() == 4 + kWrenchSize);
  CHECK(dut.tail[0] == approx((dut.state.pose.p.x - 3) / 0.033).epsilon(0.05));
  CHECK(dut.tail[2] == approx(0.2 / 0.033).epsilon(0.05));
  CHECK(dut.state.twist.v.x == approx(0.2).epsilon(0.05));
}

TEST_CASE("walls of the map stop a robot, and it reports that it touches them") {
  Stage dut(shipped("turtlebot3_burger"), {{1, 0.3, 0}, {}}, hall());
  REQUIRE(dut.run(8, {{0.22, 0, 0}, {}}));
  CHECK(dut.touched);
  CHECK(dut.state.pose.p.x < 1.95 - 0.03);
  CHECK(dut.state.pose.p.x > 1.8);
}

TEST_CASE("robots of one model share what MuJoCo compiled of it") {
  Stage dut(shipped("turtlebot3_burger"), {}, hall());
  const auto other = dut.another();
  CHECK(&dut.robot().compiled() == &dynamic_cast<Robot&>(*other).compiled());
}

TEST_CASE("bytes that are no robot of this model are refused, and change nothing") {
  Stage dut(shipped("turtlebot3_burger"));
  REQUIRE(dut.run(0.1));
  const Bytes before = dut.saved();
  for (const std::size_t cut : {before.size() - 8, std::size_t{3}}) {
    const Bytes bytes(before.begin(), before.begin() + static_cast<long>(cut));
    Reader in(bytes);
    CHECK_FALSE(dut.physics->load(in));
    CHECK(dut.saved() == before);
  }
  Bytes nan = before;
  for (std::size_t i = nan.size() - 8; i < nan.size(); ++i) nan[i] = 0xff;
  Reader in(nan);
  CHECK_FALSE(dut.physics->load(in));
  CHECK(dut.saved() == before);
}

TEST_CASE("flexible bodies and height fields are solved as MuJoCo solves them, saved and gone on with") {
  const std::string cloth = R"(<mujoco><option timestep="0.002" solver="CG" tolerance="1e-6"/><size memory="10M"/>
    <asset><hfield name="hill" nrow="3" ncol="3" size="2 2 0.1 0.1" elevation="0 0 0 0 1 0 0 0 0"/></asset><worldbody>
    <geom type="hfield" hfield="hill"/>
    <flexcomp name="cloth" type="grid" dim="2" count="5 5 1" spacing="0.1 0.1 0.1" pos="0 0 0.6" radius="0.01" mass="0.2">
      <edge equality="true"/><contact selfcollide="none"/></flexcomp>
    <body name="ball" pos="0.02 0 0.25"><freejoint/><geom size="0.15" mass="1"/></body></worldbody></mujoco>)";
  const ImportedModel model = written(cloth, Ground::kNone);
  CHECK(model.report.lost ==
        std::vector<std::string>{"'cloth' bends in its own simulation only: others see it in its rest shape",
                                 "1 flexible bodies are simulated, and touch what is in this file; "
                                 "other agents do not touch them"});
  Plain plain(cloth);
  Stage dut(model), far(model, {{20, 3, 0}, {0.8, 0, 0, 0.6}});
  plain.run(0.5);
  REQUIRE(dut.run(0.3));
  REQUIRE(far.run(0.3));
  const Bytes kept = dut.saved();
  dut.physics = dut.another();
  Reader other(kept);
  REQUIRE(dut.physics->load(other));
  REQUIRE(dut.run(0.2));
  REQUIRE(far.run(0.2));
  CHECK(differing(dut.robot(), plain) == 0);
  CHECK(differing(far.robot(), plain) == 0);
  CHECK(plain.d->ncon > 0);
}

TEST_CASE("putting a robot somewhere keeps its joints and takes the twist") {
  Stage dut(shipped("turtlebot3_burger"));
  REQUIRE(dut.run(1, {{0.2, 0, 0}, {}}));
  const double wheel = seen(dut.robot()).qpos[dut.robot().compiled().left[0].place.qpos];
  State there = dut.state;
  there.pose = {{7, 8, 0}, {0, 0, 0, 1}};
  there.twist = {};
  dut.physics->put(there, {});
  CHECK(seen(dut.robot()).qpos[dut.robot().compiled().left[0].place.qpos] == wheel);
  dut.state = there;
  REQUIRE(dut.run(0.01));
  CHECK(dut.state.pose.p.x == approx(7).epsilon(0.01));
  CHECK(dut.state.pose.p.y == approx(8).epsilon(0.01));
}

TEST_CASE("an arena that is too small stops that robot with a reason, where it was, and no other") {
  std::string xml = R"(<mujoco><option timestep="0.002"/><size memory="20K"/><worldbody>)";
  for (int i = 0; i < 4; ++i)
    xml +=
        "<body pos='0 0 " + std::to_string(0.11 + 0.21 * i) + "'><freejoint/><geom type='box' size='.1 .1 .1'/></body>";
  Stage dut(written(xml + "</worldbody></mujoco>"));
  Stage other(written(kFallingBox));

  CHECK_FALSE(dut.run(2));
  INFO(dut.fault);
  CHECK((dut.fault.find("arena") != std::string::npos || dut.fault.find("memory") != std::string::npos));
  CHECK(dut.state.twist == Twist{});
  const Pose at_fault = dut.state.pose;
  dut.run(1);
  CHECK(dut.state.pose == at_fault);
  CHECK(other.run(2));
  CHECK(other.state.pose.p.z == approx(-0.4).epsilon(0.01));  // its frame has fallen with it
}

TEST_CASE("a robot that diverges stops in the state before, and MuJoCo does not start it anew") {
  Stage dut(written(R"(<mujoco><option timestep="0.005"/><worldbody><body pos="0 0 1"><freejoint/>
    <geom type="sphere" size="0.1"/><body><joint name="j" type="slide" axis="1 0 0" stiffness="1e9"/>
    <geom type="sphere" size="0.01" mass="0.0001"/></body></body></worldbody>
    <actuator><motor joint="j" gear="1e9"/></actuator></mujoco>)"));
  CHECK_FALSE(dut.run(1, {}, {{0, 1e6}}));
  CHECK(dut.fault.find("diverged") != std::string::npos);
  CHECK(std::isfinite(dut.state.pose.p.x));
  CHECK(dut.robot().inner().fault == dut.fault);
}

TEST_CASE("a control that is no number, or of no actuator, is refused and counted") {
  Stage dut(shipped("turtlebot3_burger"));
  const double before = seen(dut.robot()).ctrl[0];
  REQUIRE(dut.run(0.01, {}, {{0, std::nan("")}, {7, 1}, {1, INFINITY}}));
  CHECK(dut.robot().inner().refused == 3);
  CHECK(seen(dut.robot()).ctrl[0] == before);
  CHECK(dut.run(0.1));
}

TEST_CASE("a tick that is no multiple of the model's physics step is refused") {
  const ImportedModel robot = written(R"(<mujoco><option timestep="0.003"/><worldbody><body><freejoint/>
    <geom size="0.1"/></body></worldbody></mujoco>)");
  ModelFiles files;
  for (const Bytes& bytes : robot.files) add(files, bytes);
  const Factory factory;
  const Status no = factory.check(robot.model, files, kTick);
  REQUIRE_FALSE(no);
  CHECK(no.error().text ==
        "model 'dut': the tick of 10 ms is no multiple of its physics step of 3 ms (<option timestep>)");
  CHECK(factory.check(robot.model, files, std::chrono::milliseconds(9)));
}

TEST_CASE("a map of more pieces than MuJoCo can take stops the robot, which reports it once") {
  MapData map;
  map.width = map.height = 300, map.resolution = 0.05, map.origin = {-7.5, -7.5, 0};
  for (std::size_t i = 0; i < 300 * 300; ++i) map.cells.push_back(i % 2 == i / 300 % 2);
  Stage dut(shipped("turtlebot3_burger"), {}, map);
  CHECK_FALSE(dut.run(0.05, {{0.2, 0, 0}, {}}));
  CHECK(dut.fault.find("more than 20000 boxes") != std::string::npos);
  CHECK(dut.events.fault.empty());
  CHECK(dut.state.pose == Pose{});
}

TEST_CASE("a robot that returns begins where it is, joints and loose bodies included, at rest") {
  const ImportedModel robot = written(R"(<mujoco><option timestep="0.002" gravity="0 0 0"/><worldbody>
    <body name="base"><freejoint/><geom size="0.1"/>
      <body pos="0 0 0.3"><joint name="swing" axis="0 1 0"/><geom size="0.05"/></body></body>
    <body name="ball" pos="2 0 1"><freejoint/><geom size="0.1"/></body></worldbody></mujoco>)");
  Stage dut(robot, {{1, 2, 3}, {}});
  REQUIRE(dut.run(0.01));
  REQUIRE(dut.tail.size() == 16 + kWrenchSize);
  std::vector<double> tail = dut.tail;
  tail[0] = 0.7;                                        // the hinge
  tail[1] = -4, tail[2] = 5, tail[3] = 6;               // the ball, in the world
  std::fill(tail.begin() + 8, tail.begin() + 16, 0.5);  // as fast as it was: at rest now
  State state = dut.state;
  state.pose.p = {7, 8, 9};

  dut.robot().reset(state);
  dut.robot().put(state, tail);
  REQUIRE(dut.run(0.01));

  CHECK(dut.state.pose.p.x == approx(7));
  CHECK(dut.tail[0] == approx(0.7));
  CHECK(dut.tail[1] == approx(-4));
  CHECK(dut.tail[2] == approx(5));
  CHECK(dut.tail[3] == approx(6));
  for (std::size_t i = 8; i < 16; ++i) CHECK(std::fabs(dut.tail[i]) < 1e-9);
}

}  // namespace robot_test
