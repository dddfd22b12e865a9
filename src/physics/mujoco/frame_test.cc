// A robot is its file, solved in the file's own frame wherever it stands: what plain MuJoCo makes of the same text is the
// reference.
#include <fmt/format.h>

#include <functional>

#include "core/approx.h"
#include "physics/mujoco/ghost_rig.h"
#include "physics/mujoco/numbers.h"

namespace frame_test {

using namespace convoy;
using namespace convoy::mujoco;

namespace {

constexpr double kTurn = 1.1;  // rad
const Pose kThere{{20, 3, 0}, {std::cos(kTurn / 2), 0, 0, std::sin(kTurn / 2)}};

double apart(const Pose& a, const Pose& b) {
  return norm(a.p - b.p) + std::fabs(1 - std::fabs(a.q.w * b.q.w + a.q.x * b.q.x + a.q.y * b.q.y + a.q.z * b.q.z));
}

// An arm of one joint that leans over the table on which it stands.
constexpr const char* kTable = R"(<mujoco><option timestep="0.002"/><worldbody>
  <geom name="table" type="box" pos="0.3 0 0.2" size="0.5 0.4 0.2"/>
  <body name="arm" pos="0 0 0.6"><joint name="shoulder" axis="0 1 0" damping="0.5"/>
    <geom type="capsule" fromto="0 0 0 0.5 0 0" size="0.03" mass="1"/></body>
</worldbody></mujoco>)";

// A puck on two slides, between the walls of its maze.
constexpr const char* kMaze = R"(<mujoco><option timestep="0.002" gravity="2 0.7 0"/><worldbody>
  <geom name="right" type="box" pos="0.5 0 0.05" size="0.02 0.5 0.05"/>
  <geom name="top" type="box" pos="0 0.5 0.05" size="0.5 0.02 0.05"/>
  <body name="puck" pos="0 0 0.05"><joint name="x" type="slide" axis="1 0 0"/><joint name="y" type="slide" axis="0 1 0"/>
    <geom type="cylinder" size="0.05 0.02" mass="0.2"/></body>
</worldbody></mujoco>)";

// A gripper that a weld holds to the file's own mocap body.
constexpr const char* kHeld = R"(<mujoco><option timestep="0.002"/><worldbody>
  <body name="hand" mocap="true" pos="0.2 0 1"><geom size="0.02" contype="0" conaffinity="0"/></body>
  <body name="gripper" pos="0.2 0 1"><freejoint/><geom type="box" size="0.05 0.05 0.05" mass="0.5"/>
    <body pos="0.1 0 0"><joint name="finger" axis="0 0 1" damping="0.1"/><geom type="box" size="0.05 0.01 0.01"/></body>
  </body></worldbody><equality><weld body1="hand" body2="gripper"/></equality></mujoco>)";

}  // namespace

TEST_CASE("an arm rests on its own table, and a puck stays in its maze, as MuJoCo has it") {
  for (const Pose& at : {Pose{}, kThere}) {
    Plain table(kTable), maze(kMaze);
    Stage arm(written(kTable), at), puck(written(kMaze), at);
    table.run(3), maze.run(3);
    REQUIRE(arm.run(3));
    REQUIRE(puck.run(3));
    CHECK(arm.tail[0] == approx(0.347).epsilon(0.01));
    CHECK(puck.tail[0] == approx(0.43).epsilon(0.01));
    CHECK(differing(arm.robot(), table) == 0);
    CHECK(differing(puck.robot(), maze) == 0);
  }
}

TEST_CASE("a file's own mocap body goes with the file, and two such robots are each alone") {
  Plain plain(kHeld);
  plain.run(1);
  for (const Pose& at : {Pose{{0, 2, 0}, {}}, Pose{{0, 62, 0}, {}}, kThere}) {
    Stage dut(written(kHeld), at);
    REQUIRE(dut.run(1));
    CHECK(norm(dut.state.pose.p - at.p) < 0.01);
    const Robot& robot = dut.robot();
    CHECK(robot.compiled().has_ground);  // it has a free body; beyond its reach
    CHECK(robot.row()[robot.compiled().row.qpos] == approx(plain.d->qpos[0]).epsilon(1e-9));
    CHECK(apart(dut.state.pose, at * pose_at(plain.d->qpos) * robot.compiled().X_BR) < 1e-9);
  }
}

TEST_CASE("states leave in the world, loose bodies and the twist too, and what is put there comes back to the bit") {
  const std::string xml = R"(<mujoco><option timestep="0.002" gravity="0 0 0"/><worldbody>
    <body pos="0.1 0 0.5"><freejoint/><geom type="box" size="0.1 0.1 0.1" mass="1"/></body>
    <body name="ball" pos="1 2 0.5"><freejoint/><geom size="0.1"/></body></worldbody>
    <keyframe><key qpos="0.1 0 0.5 1 0 0 0 1 2 0.5 1 0 0 0" qvel="1 0 0 0 0 0.5 0 0.3 0 0 0 1"/></keyframe></mujoco>)";
  Plain plain(xml);
  Stage dut(written(xml), kThere);
  plain.run(0.5);
  REQUIRE(dut.run(0.5));
  CHECK(differing(dut.robot(), plain) == 0);
  CHECK(apart(pose_at(dut.tail.data()), kThere * pose_at(plain.d->qpos + 7)) < 1e-12);
  CHECK(norm(vec(dut.tail.data() + 7) - rotate(kThere.q, vec(plain.d->qvel + 6))) < 1e-12);
  CHECK(apart(dut.state.pose * dut.robot().compiled().X_BR.inverse(), kThere * pose_at(plain.d->qpos)) < 1e-12);
  const Vec3 arm = rotate(dut.state.pose.q, {0.1, 0, 0.5});
  CHECK(norm(dut.state.twist.v + cross(dut.state.twist.w, arm) - rotate(kThere.q, vec(plain.d->qvel))) < 1e-12);

  const EngineView seen_now = seen(dut.robot());
  CHECK(apart(pose_at(seen_now.qpos.data()), kThere * pose_at(plain.d->qpos)) < 1e-12);
  EngineValues values;
  values.qpos.assign(seen_now.qpos.begin(), seen_now.qpos.end());
  values.qpos[0] += 1;
  State state;
  std::vector<double> tail(dut.tail.size());
  Bytes bytes;
  REQUIRE(dut.robot().propose(values, state, tail, bytes));
  CHECK(state.pose.p.x == approx(dut.state.pose.p.x + 1));
  CHECK(state.pose.p.y == approx(dut.state.pose.p.y));
}

TEST_CASE("where the file stands is in what is saved: elsewhere made, a robot goes on as it was") {
  Stage dut(written(kHeld), kThere), other(written(kHeld), {{-5, 0, 0}, {}});
  REQUIRE(dut.run(0.5));
  const Bytes saved = dut.saved();
  Reader in(saved);
  REQUIRE(other.physics->load(in));
  CHECK(other.saved() == saved);
  other.state = dut.state, other.tail = dut.tail, other.now = dut.now;
  REQUIRE(dut.run(0.5));
  REQUIRE(other.run(0.5));
  CHECK(dut.saved() == other.saved());
  CHECK(dut.state == other.state);
}

TEST_CASE("a mocap body is put in the world, wherever the file stands, and what hangs on it follows") {
  Stage dut(written(kHeld), kThere);
  REQUIRE(dut.robot().panel());
  CHECK(dut.robot().panel()->mocaps == std::vector<std::string>{"hand"});
  const Pose X_WM{{kThere.p.x + 0.3, kThere.p.y - 0.2, kThere.p.z + 1.2}, kThere.q};
  EngineValues values;
  values.mocaps = {{0, X_WM}};
  State state;
  std::vector<double> tail(dut.tail.size());
  Bytes bytes;
  REQUIRE(dut.robot().propose(values, state, tail, bytes));
  Reader in(bytes);
  REQUIRE(dut.physics->load(in));
  REQUIRE(dut.run(3));
  CHECK(norm(dut.state.pose.p - (X_WM * Pose{{-0.2, 0, -1}, {}}).p) < 0.02);  // R is where F was to the gripper
  values.mocaps = {{1, X_WM}};
  CHECK_FALSE(dut.robot().propose(values, state, tail, bytes));
}

TEST_CASE(
    "sensors of places and directions give the world's, wherever the file stands, and those that refer to a frame "
    "its") {
  const std::string file = R"(<mujoco><option timestep="0.002"/><worldbody>
    <body name="base" pos="0 0 1"><joint name="a" axis="0 0 1"/><geom size="0.1"/>
      <body name="hand" pos="0.5 0 0"><joint name="b" axis="0 1 0"/><geom name="g" size="0.1" pos="0.3 0 0"/></body></body>
    <geom name="wall" type="box" size="0.1 0.1 0.1" pos="2 0 0.5"/></worldbody>
    <keyframe><key qpos="0.3 0.4" qvel="0.5 -0.2"/></keyframe>
    <sensor><framepos objtype="body" objname="hand"/><framequat objtype="body" objname="hand"/>
      <framelinvel objtype="body" objname="hand"/><framezaxis objtype="body" objname="hand"/>
      <subtreecom body="base"/><subtreelinvel body="base"/>
      <framepos objtype="body" objname="hand" reftype="body" refname="base"/><jointpos joint="a"/>
      <fromto geom1="g" geom2="wall" cutoff="5"/></sensor></mujoco>)";
  const ImportedModel model = written(file, Ground::kNone);
  Stage here(model), there(model, kThere);
  REQUIRE(here.run(0.05));
  REQUIRE(there.run(0.05));
  const auto a = seen(here.robot()).sensors, b = seen(there.robot()).sensors;
  REQUIRE(a.size() == 3 + 4 + 3 + 3 + 3 + 3 + 3 + 1 + 6);
  const auto point = [&](std::size_t at) { return norm(vec(&b[at]) - (kThere * Pose{vec(&a[at]), {}}).p); };
  const auto direction = [&](std::size_t at) { return norm(vec(&b[at]) - rotate(kThere.q, vec(&a[at]))); };
  CHECK(point(0) < 1e-9);
  const Quat q = kThere.q * quat(&a[3]);
  CHECK(std::fabs(q.w - b[3]) + std::fabs(q.x - b[4]) + std::fabs(q.y - b[5]) + std::fabs(q.z - b[6]) < 1e-9);
  CHECK(direction(7) < 1e-9);
  CHECK(direction(10) < 1e-9);
  CHECK(point(13) < 1e-9);
  CHECK(direction(16) < 1e-9);
  CHECK(norm(vec(&b[19]) - vec(&a[19])) < 1e-9);  // in the base's frame
  CHECK(b[22] == approx(a[22]));
  CHECK(point(23) < 1e-9);
  CHECK(point(26) < 1e-9);
  CHECK(norm(vec(&a[7])) > 0.1);
  there.physics->put(there.state, {});  // worked out without a step
  CHECK(norm(vec(&seen(there.robot()).sensors[0]) - vec(&b[0])) < 0.05);
}

TEST_CASE("a free robot keeps its file where it was made, a fixed one takes it along") {
  Stage arm(written(kTable), kThere);
  State there = arm.state;
  there.pose = {{-3, 4, 0}, {0, 0, 0, 1}};
  arm.physics->put(there, {});
  arm.state = there;
  REQUIRE(arm.run(3));
  CHECK(arm.state.pose == there.pose);
  CHECK(arm.tail[0] == approx(0.347).epsilon(0.01));  // on its table, which came along

  Stage rover(shipped("rover"), kThere);
  there = rover.state;
  there.pose.p = {1, 1, 0};
  rover.physics->put(there, {});
  CHECK(rover.robot().inner().X_WF.p == kThere.p);
  rover.state = there;
  REQUIRE(rover.run(0.1));
  CHECK(norm(rover.state.pose.p - there.pose.p) < 0.01);
}

TEST_CASE("raised and tilted, gravity and the ground are the world's") {
  const std::string pendulum = R"(<mujoco><option timestep="0.002"/><worldbody><geom type="plane" size="1 1 1"/>
    <body pos="0 0 1"><joint name="swing" axis="0 1 0" damping="0.2"/><geom type="capsule" fromto="0 0 0 0.5 0 0" size="0.02"/></body>
    </worldbody></mujoco>)";
  const double quarter = std::sqrt(0.5);
  Stage leaning(written(pendulum), {{2, 3, 5}, {quarter, 0, quarter, 0}});  // its x points down
  REQUIRE(leaning.run(3));
  CHECK(std::fabs(leaning.tail[0]) < 1e-6);
  Stage level(written(pendulum), {{2, 3, 0}, {}}), low(written(pendulum), {{2, 3, -0.7}, {quarter, 0, 0, quarter}});
  REQUIRE(level.run(10));
  REQUIRE(low.run(10));
  CHECK(level.tail[0] == approx(1.5708).epsilon(0.01));              // straight down, above the ground
  CHECK(std::sin(low.tail[0]) == approx(0.28 / 0.5).epsilon(0.02));  // 0.3 m above the ground, on its round end

  Stage box(written(R"(<mujoco><option timestep="0.002"/><worldbody><body pos="0 0 0.1"><freejoint/>
    <geom type="box" size="0.1 0.1 0.1"/></body></worldbody></mujoco>)"),
            {{1, 2, 0.3}, {std::cos(0.1), std::sin(0.1), 0, 0}});
  REQUIRE(box.run(2));
  CHECK(box.state.pose.p.z == about(0, 0.001));
  CHECK(box.robot().inner().X_WF.p.z == 0);
}

TEST_CASE("what stands beside a robot in its file stops others there, wherever the robot has gone") {
  const std::string xml = R"(<mujoco><option timestep="0.002"/><worldbody>
    <geom type="box" pos="0.6 0 0.2" size="0.05 0.5 0.2"/>
    <body pos="-0.3 0 0.1"><freejoint/><geom type="box" size="0.1 0.1 0.1" mass="5"/></body></worldbody></mujoco>)";
  const Pose at{{1, -2, 0}, {std::sqrt(0.5), 0, 0, std::sqrt(0.5)}};  // its wall is at y = -1.4
  GhostRig dut({{written(xml), at}, {shipped("rover"), {{1, -0.5, 0}, {std::sqrt(0.5), 0, 0, -std::sqrt(0.5)}}}});
  dut.commands[1] = {{0.5, 0, 0}, {}};
  dut.run(4);
  CHECK(dut.state(1).pose.p.y > -1.4 + 0.2);
  CHECK(dut.robot(1).inner().one_sided > 10);
  CHECK(dut.state(1).pose.p.y < -0.9);
}

TEST_CASE(
    "between walls too a robot is its file to the bit, until it touches one; and a rangefinder sees them from afar") {
  MapData hall;
  hall.width = hall.height = 80, hall.resolution = 0.05, hall.origin = {-2, -2, 0};
  hall.cells.assign(80 * 80, 0);
  for (std::size_t i = 0; i < 80; ++i) hall.cells[i * 80 + 79] = 1;  // from x = 1.95 on
  const auto top = [](const std::string& speed) {
    return R"(<mujoco><option timestep="0.002"/><worldbody><geom type="plane" size="1 1 1"/>
      <body pos="0 0 0.1"><freejoint/><geom type="box" size="0.1 0.1 0.1" friction="0.1"/>
      <body pos="0 0 0.15"><joint axis="0 0 1" damping="0.001"/><geom type="box" size="0.05 0.02 0.02"/></body></body>
      </worldbody><keyframe><key qpos="0 0 0.1 1 0 0 0 0" qvel=")" +
           speed + R"( 0 0 0 0 0.3 3"/></keyframe></mujoco>)";
  };
  for (const double x : {0.0, 1.7}) {  // far from all, and nearer than any wall may be left out
    CAPTURE(x);
    const std::string xml = top("0.02");
    Plain plain(xml);
    Stage dut(written(xml), {{x, 0, 0}, {}}, hall);
    plain.run(1);
    REQUIRE(dut.run(1));
    CHECK(!dut.touched);
    CHECK(differing(dut.robot(), plain) == 0);
  }
  const std::string fast = top("3");
  Plain plain(fast);
  Stage stopped(written(fast), {{1.6, 0, 0}, {}}, hall);
  plain.run(1);
  REQUIRE(stopped.run(1));
  CHECK(plain.d->qpos[0] > 0.4);
  CHECK(stopped.touched);
  CHECK(stopped.state.pose.p.x < 1.86);

  const ImportedModel eyed = written(R"(<mujoco><option timestep="0.002"/><worldbody><body pos="0 0 0.1"><freejoint/>
    <geom type="box" size="0.1 0.1 0.1"/><site name="eye" pos="0.1 0 0" zaxis="1 0 0"/></body></worldbody>
    <sensor><rangefinder site="eye"/></sensor></mujoco>)");
  Stage seeing(eyed, {{0.5, 0, 0}, {}}, hall);
  REQUIRE(seeing.run(0.1));
  CHECK(seen(seeing.robot()).sensors[0] == approx(1.35).epsilon(0.01));
  hall.wall_height = 0.05;  // below its eye
  Stage over(eyed, {{0.5, 0, 0}, {}}, hall);
  REQUIRE(over.run(0.1));
  CHECK(seen(over.robot()).sensors[0] == -1);
}

TEST_CASE("a gravity and a wind of the world are felt in its axes, whichever way a robot stands and whoever is near") {
  const ImportedModel ball = written(R"(<mujoco><option timestep="0.002" density="1.2"/><worldbody>
      <body><freejoint/><geom size="0.1" mass="1"/></body></worldbody></mujoco>)",
                                     Ground::kNone);
  MapData walls;
  walls.width = walls.height = 80, walls.resolution = 0.05, walls.origin = {-2, -2, 0};
  walls.cells.assign(80 * 80, 0);
  for (std::size_t i = 0; i < 80; ++i) walls.cells[i * 80 + 79] = 1;
  const Quat yawed = from_yaw(1.1), tilted{std::sqrt(0.5), std::sqrt(0.5), 0, 0};
  for (const Pose& at : {Pose{}, Pose{{1.8, 0, 0}, yawed}, Pose{{0, 0, 4}, tilted}}) {
    CAPTURE(at.p.x);
    Stage dut(ball, at, walls);
    const auto told = [&](const Vec3& g) { return norm(*dut.robot().gravity(dut.environment) - g) < 1e-12; };
    CHECK(told({0, 0, -9.81}));
    REQUIRE(dut.run(0.1));
    CHECK(dut.state.twist.v.z == approx(-0.981).epsilon(3e-3));
    dut.environment.gravity = Vec3{0, 0, 0};
    REQUIRE(dut.run(0.1));
    CHECK(dut.state.twist.v.z == approx(-0.981).epsilon(3e-3));  // it goes on as it was
    dut.environment.gravity = Vec3{-1, 0.5, 0};
    CHECK(told({-1, 0.5, 0}));
    REQUIRE(dut.run(0.1));
    CHECK(dut.state.twist.v.x == approx(-0.1).epsilon(1e-2));
    CHECK(dut.state.twist.v.y == approx(0.05).epsilon(1e-2));
    dut.environment.gravity = {};  // as the file says
    CHECK(told({0, 0, -9.81}));
    REQUIRE(dut.run(0.1));
    CHECK(dut.state.twist.v.z == approx(-1.962).epsilon(1e-2));
    dut.environment.gravity = Vec3{0, 0, 0};
    const double before = dut.state.twist.v.y;
    dut.environment.wind = Vec3{0, 30, 0};
    REQUIRE(dut.run(0.1));
    CHECK(dut.state.twist.v.y > before + 0.01);
  }
}

}  // namespace frame_test
