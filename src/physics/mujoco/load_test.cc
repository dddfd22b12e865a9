// What a robot carries moves it as a part of itself would, and nothing is left of it afterwards.
#include <fmt/format.h>

#include <array>
#include <numeric>

#include "core/approx.h"
#include "physics/mujoco/ghost_rig.h"
#include "physics/mujoco/numbers.h"

namespace load_test {

using namespace convoy;
using namespace convoy::mujoco;

namespace {

constexpr double kGravity = 9.81;

// A kinematic body: length x width x height, its frame at the middle of its floor, but for an offset along x.
Model box(double length, double width, double height, double mass, double offset = 0) {
  Model m;
  m.name = "load", m.height = height, m.mass = mass;
  m.footprint = {{offset - length / 2, -width / 2},
                 {offset + length / 2, -width / 2},
                 {offset + length / 2, width / 2},
                 {offset - length / 2, width / 2}};
  return m;
}

ImportedModel named(std::string name, ImportedModel model) {
  model.model.name = std::move(name);
  return model;
}

// A free body that is fallen and turned, with that inside.
ImportedModel tumbling(const std::string& inside) {
  return written(
      "<mujoco><option timestep='0.002' integrator='RK4'/><worldbody><body pos='0 0 1'><freejoint/>"
      "<geom type='box' size='0.3 0.2 0.1' mass='2' contype='0' conaffinity='0'/>" +
      inside +
      "</body></worldbody><keyframe><key name='home' qpos='0 0 1 1 0 0 0' qvel='0.5 0 6 2 -3 1'/></keyframe></mujoco>");
}

// The rover's file, with pieces of it replaced.
std::string rover(const std::vector<std::pair<std::string, std::string>>& changes) {
  const auto bytes = read_disk(CONVOY_SOURCE_DIR "/models/rover.xml");
  REQUIRE(bytes);
  std::string text(bytes->begin(), bytes->end());
  for (const auto& [what, by] : changes) {
    const std::size_t at = text.find(what);
    REQUIRE(at != text.npos);
    text.replace(at, what.size(), by);
  }
  return text;
}

struct Floor {
  double force = 0;  // N, along its normals
  double lever = 0;  // of that about the y axis through x, N m
};
// What the ground bears.
Floor floor_under(Stage& stage, double x) {
  const mjModel* m = stage.robot().compiled().model;
  const Unfolded d(stage.robot());
  Floor out;
  for (int i = 0; i < d->ncon; ++i) {
    const mjContact& contact = d->contact[i];
    if (m->geom_type[contact.geom[0]] != mjGEOM_PLANE) continue;
    double force[6];
    mj_contactForce(m, d.get(), i, force);
    out.force += force[0], out.lever += force[0] * (contact.pos[0] - x);
  }
  return out;
}

double mass_of(const Stage& stage) {
  const mjModel* m = dynamic_cast<const Robot&>(*stage.physics).compiled().model;
  return std::accumulate(m->body_mass, m->body_mass + m->nbody, 0.0);
}

}  // namespace

TEST_CASE("a body that is carried tumbles as one that the document fixes there") {
  const Pose X{{0.4, -0.1, 0.2}, unit({0.9, 0.1, -0.3, 0.2})};  // in the frame of the robot, 1 m below its base
  const std::string at =
      fmt::format("pos='{} {} {}' quat='{} {} {} {}'", X.p.x, X.p.y, X.p.z - 1, X.q.w, X.q.x, X.q.y, X.q.z);
  const std::string parts =
      "<geom type='box' size='0.2 0.05 0.1' mass='1.5' pos='0.1 0 0'/>"
      "<body pos='0 0.2 0' euler='0 30 0'>{}<geom type='sphere' size='0.1' mass='0.7'/></body>";
  const Model prism = box(0.4, 0.1, 0.2, 1.5, 0.1);
  const struct {
    const char* what;
    std::string fixed;
    std::vector<ImportedModel> others;
  } kCases[] = {
      {"kinematic", "<body " + at + "><geom type='box' size='0.2 0.05 0.1' pos='0.1 0 0.1' mass='1.5'/></body>", {}},
      {"MuJoCo",
       "<body " + at + ">" + fmt::format(fmt::runtime(parts), "") + "</body>",
       {named("other",
              written("<mujoco><worldbody><body pos='0 0 0'><freejoint/>" +
                      fmt::format(fmt::runtime(parts), "<joint axis='0 1 0'/>") + "</body></worldbody></mujoco>"))}},
      {"fixed",
       "<body " + at + ">" + fmt::format(fmt::runtime(parts), "") + "</body>",
       {named("other",
              written("<mujoco><worldbody><body pos='0 0 0'>" +
                      fmt::format(fmt::runtime(parts), "<joint axis='0 1 0'/>") + "</body></worldbody></mujoco>"))}}};
  for (const auto& c : kCases) {
    CAPTURE(c.what);
    Stage wanted(tumbling(c.fixed));
    Stage dut(tumbling(""), {}, {}, c.others);
    dut.carried = {{WorldNumber(7), X, c.others.empty() ? &prism : dut.world->model("other")}};
    REQUIRE(wanted.run(0.7));
    REQUIRE(dut.run(0.7));
    CHECK(mass_of(dut) == approx(mass_of(wanted)));
    CHECK(norm(dut.state.pose.p - wanted.state.pose.p) < 1e-6);
    CHECK(norm(dut.state.twist.w - wanted.state.twist.w) < 1e-5);
    CHECK(norm(dut.state.twist.v - wanted.state.twist.v) < 1e-5);
    CHECK(norm(wanted.state.twist.w) > 1);
  }
}

TEST_CASE("the ground bears a burger and its load, where the load is") {
  const Model load = box(0.1, 0.1, 0.1, 1);
  Stage bare(shipped("turtlebot3_burger"));
  REQUIRE(bare.run(2));
  const Floor before = floor_under(bare, 0);
  CHECK(before.force == approx(mass_of(bare) * kGravity).epsilon(1e-3));
  for (const double x : {-0.05, -0.02}) {
    CAPTURE(x);
    Stage dut(shipped("turtlebot3_burger"));
    dut.carried = {{WorldNumber(7), {{x, 0, 0.18}, {}}, &load}};
    REQUIRE(dut.run(2));
    const Floor got = floor_under(dut, 0);
    CHECK(got.force == approx((mass_of(bare) + 1) * kGravity).epsilon(1e-3));
    CHECK(got.lever - before.lever == approx(x * kGravity).epsilon(0.06));
  }
}

TEST_CASE("a load halves what the same motors accelerate, and the limits stay") {
  const Model load = box(0.3, 0.2, 0.1, 20);
  const std::string file = rover({{"forcerange=\"-15 15\"", "forcerange=\"-0.5 0.5\""}});
  Stage bare(written(file)), dut(written(file));
  dut.carried = {{WorldNumber(7), {{0, 0, 0.23}, {}}, &load}};
  REQUIRE(bare.run(1, {{1.5, 0, 0}, {}}));
  REQUIRE(dut.run(1, {{1.5, 0, 0}, {}}));
  CHECK(bare.state.twist.v.x > 0.5);
  CHECK(bare.state.twist.v.x / dut.state.twist.v.x == approx(1.72).epsilon(0.05));  // wheels turn, and hold some of it
  REQUIRE(dut.run(5, {{1.5, 0, 0}, {}}));
  CHECK(dut.state.twist.v.x == approx(1.5).epsilon(0.05));
}

TEST_CASE("the state with a load is that without, and when it is gone nothing is left") {
  const Model load = box(0.1, 0.1, 0.1, 1), other = box(0.1, 0.2, 0.1, 2);
  const Twist command{{0.2, 0, 0}, {0, 0, 0.5}};
  Stage dut(shipped("turtlebot3_burger"));
  REQUIRE(dut.run(0.5, command));
  const std::size_t size = dut.saved().size();
  dut.carried = {{WorldNumber(7), {{-0.03, 0, 0.18}, {}}, &load}};
  REQUIRE(dut.run(0.5, command));
  CHECK(dut.saved().size() == size);

  // Step, save, step, restore, step: the same bytes, in a fresh robot too.
  const Bytes there = dut.saved();
  const State state = dut.state;
  const std::vector<double> tail = dut.tail;
  const Instant now = dut.now;
  REQUIRE(dut.run(0.1, command));
  const Bytes wanted = dut.saved();
  std::array<std::unique_ptr<Physics>, 2> robots{dut.another(), std::move(dut.physics)};
  for (std::unique_ptr<Physics>& robot : robots) {
    dut.physics = std::move(robot);
    Reader in(there);
    REQUIRE(dut.physics->load(in));
    dut.state = state, dut.tail = tail, dut.now = now;
    REQUIRE(dut.run(0.1, command));
    CHECK(dut.saved() == wanted);
  }

  // Another load is another robot; without one it is as if it had never had any.
  dut.carried[0].model = &other;
  REQUIRE(dut.run(0.1, command));
  CHECK(mass_of(dut) == approx(3).epsilon(0.01));
  dut.carried.clear();
  Stage never(shipped("turtlebot3_burger"));
  const Bytes last = dut.saved();
  Reader in(last);
  REQUIRE(never.physics->load(in));
  never.state = dut.state, never.tail = dut.tail, never.now = dut.now;
  REQUIRE(dut.run(0.5, command));
  REQUIRE(never.run(0.5, command));
  CHECK(dut.saved() == never.saved());
  CHECK(&dut.robot().compiled() != &never.robot().compiled());
  CHECK(mass_of(dut) == mass_of(never));
}

TEST_CASE("a load touches the ground, walls and loose bodies, and never who carries it") {
  SUBCASE("it may stick in the robot") {
    const Model load = box(0.3, 0.4, 0.2, 1);
    Stage dut(shipped("quadruped"));
    dut.carried = {{WorldNumber(7), {{0, 0, 0.2}, {}}, &load}};
    REQUIRE(dut.run(1));
    CHECK(dut.state.pose.p.z == about(0, 0.02));
    CHECK(norm(dut.state.twist.v) < 0.02);
  }
  SUBCASE("the ground brakes what is dragged over it") {
    const Model load = box(0.1, 0.1, 0.1, 2);
    Stage dut(shipped("turtlebot3_burger"));
    dut.carried = {{WorldNumber(7), {{-0.25, 0, 0}, {}}, &load}};
    REQUIRE(dut.run(2));
    const Floor floor = floor_under(dut, -0.25);
    CHECK(floor.force == approx((mass_of(dut)) * kGravity).epsilon(1e-3));
    const mjModel* m = dut.robot().compiled().model;
    const Unfolded d(dut.robot());
    double dragged = 0;
    for (int i = 0; i < d->ncon; ++i) {
      double force[6];
      mj_contactForce(m, d.get(), i, force);
      if (d->contact[i].pos[0] < -0.19) dragged += force[0];
    }
    CHECK(dragged > 5);
  }
  SUBCASE("a wall stops it") {
    MapData map;
    map.width = map.height = 80, map.resolution = 0.05, map.origin = {-2, -2, 0};
    map.cells.assign(80 * 80, 0);
    for (std::size_t i = 0; i < 80; ++i) map.cells[i * 80 + 79] = 1;  // from x = 1.95 on
    const Model load = box(0.6, 0.2, 0.1, 1);
    Stage dut(shipped("rover"), {}, map);
    dut.carried = {{WorldNumber(7), {{0.5, 0, 0.2}, {}}, &load}};
    REQUIRE(dut.run(4, {{0.5, 0, 0}, {}}));
    CHECK(dut.state.pose.p.x == approx(1.95 - 0.8).epsilon(0.02));
    CHECK(dut.touched);
  }
  SUBCASE("a loose body of the same document rests on it") {
    const Model load = box(0.3, 0.2, 0.1, 1);
    Stage dut(written(
        "<mujoco><worldbody><body pos='0 0 0.1'><freejoint/><geom type='box' size='0.3 0.2 0.1' mass='10'/></body>"
        "<body pos='0 0 0.5'><freejoint/><geom type='box' size='0.05 0.05 0.05' "
        "mass='1'/></body></worldbody></mujoco>"));
    dut.carried = {{WorldNumber(7), {{0, 0, 0.2}, {}}, &load}};
    REQUIRE(dut.run(1));
    CHECK(dut.tail[2] == approx(0.35).epsilon(0.01));
  }
}

TEST_CASE("a rover pushes with the front of what it carries, as if it were its own") {
  const Model load = box(0.6, 0.2, 0.1, 4);
  const auto crate = [](double x) {
    return fmt::format(
        "<body pos='{} 0 0.2'><freejoint/><geom type='box' size='0.15 0.15 0.2' mass='5' priority='1' "
        "friction='0.5 0.005 0.0001'/></body>",
        x);
  };
  const Twist command{{0.6, 0, 0}, {}};
  Stage joint(written(rover(
      {{"<freejoint name=\"base\"/>", "<freejoint/><geom type='box' pos='0.5 0 0.15' size='0.3 0.1 0.05' mass='4'/>"},
       {"</worldbody>", crate(1.1) + "</worldbody>"}})));
  REQUIRE(joint.run(3, command));
  GhostRig dut(
      {{shipped("rover"), {}},
       {written(
            "<mujoco><option timestep='0.002' integrator='implicitfast' cone='elliptic' impratio='10'/><worldbody>" +
            crate(0) + "</worldbody></mujoco>"),
        {{1.1, 0, 0}, {}}}});
  dut.carried[0] = {{WorldNumber(7), {{0.5, 0, 0.2}, {}}, &load}};
  dut.commands[0] = command;
  std::vector<WorldNumber> first;
  double front = 0;
  for (int i = 0; i < 300; ++i) {
    dut.tick();
    if (first.empty() && !dut.events[0].touched.empty())
      first = dut.events[0].touched, front = dut.state(0).pose.p.x + 0.8;
  }
  CHECK(first == std::vector<WorldNumber>{WorldNumber(2)});
  CHECK(front == approx(0.95).epsilon(0.02));
  CHECK(dut.state(1).pose.p.x - 1.1 == approx(joint.tail[4] - 1.1).epsilon(0.05));
  CHECK(dut.state(0).pose.p.x == approx(joint.state.pose.p.x).epsilon(0.05));
  CHECK(dut.state(1).pose.p.x - dut.state(0).pose.p.x == approx(0.95).epsilon(0.02));
}

TEST_CASE("others meet a robot with its load as one body, held and kinematic ones too") {
  const Model load = box(0.4, 0.2, 0.1, 4), cart = box(0.6, 0.4, 0.2, 9);
  Stage rover(shipped("rover")), arm(shipped("arm"));
  const std::vector<Carried> carried{{WorldNumber(7), {{0.5, 0, 0.2}, {}}, &load}};
  Library library;
  const auto kind_of = [&](Stage& stage, bool held, bool laden) {
    return library.kind(stage.model(), stage.world->files(), held,
                        laden ? std::span(carried) : std::span<const Carried>{});
  };
  const auto bare = kind_of(rover, false, false), laden = kind_of(rover, false, true);
  REQUIRE(laden->bodies.size() == 1);
  CHECK(laden->bodies[0].mass == approx(bare->bodies[0].mass + 4));
  CHECK(laden->bodies[0].com.x == approx(0.5 * 4 / 24));
  CHECK(laden->bodies[0].geoms.size() == bare->bodies[0].geoms.size() + 1);
  CHECK(laden->bodies[0].radius > 0.7);
  CHECK(laden->core_radius > 0.7);
  CHECK(laden->key != bare->key);
  CHECK(kind_of(rover, false, true) == laden);
  CHECK(!kind_of(rover, true, true)->bodies[0].free);
  const auto laden_arm = kind_of(arm, false, true);  // on the body that holds its foot, which has no shape of its own
  REQUIRE(laden_arm->bodies.size() == kind_of(arm, false, false)->bodies.size() + 1);
  CHECK(laden_arm->bodies[0].geoms.size() == 1);
  CHECK(!laden_arm->bodies[0].free);
  const auto kinematic = library.kind(cart, rover.world->files(), false, carried);
  REQUIRE(kinematic->bodies.size() == 1);
  CHECK(kinematic->bodies[0].geoms.size() == 2);
  CHECK(kinematic->core_radius > 0.7);
  const auto corners = [](const BoundingBox& b) {
    return std::vector<double>{b.low.x, b.low.y, b.low.z, b.high.x, b.high.y, b.high.z};
  };
  const auto near = [](const std::vector<double>& a, const std::vector<double>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](double x, double y) { return std::fabs(x - y) < 1e-6; });
  };
  CHECK(near(corners(library.kind(cart, rover.world->files(), false)->bodies[0].box), {-0.3, -0.2, 0, 0.3, 0.2, 0.2}));
  CHECK(near(corners(kinematic->bodies[0].box), {-0.3, -0.2, 0, 0.7, 0.2, 0.3}));
  CHECK(rover.physics->neighbourhood(rover.model(), kTick, carried) >
        rover.physics->neighbourhood(rover.model(), kTick, {}) + 0.2);
}

TEST_CASE("documents whose masses all come from their shapes carry, and are met, as others") {
  const Model load = box(0.1, 0.1, 0.1, 1);
  const std::string cube =
      "<body pos='0 0 0.1'><freejoint/><geom type='box' size='0.1 0.1 0.1' mass='5'/></body></worldbody></mujoco>";
  const std::string file = "<mujoco><compiler inertiafromgeom='true'/><worldbody>" + cube;
  Stage dut(written(file));
  dut.carried = {{WorldNumber(7), {{0, 0, 0.2}, {}}, &load}};
  REQUIRE(dut.run(0.1));
  CHECK(mass_of(dut) == approx(6));
  GhostRig meeting({{written(file), {}}, {written("<mujoco><worldbody>" + cube), {{0.2, 0, 0}, {}}}});
  meeting.run(0.1);  // no fault
  CHECK(meeting.events[0].touched == std::vector<WorldNumber>{WorldNumber(2)});
}

TEST_CASE("a document that cannot carry anything reports it, and does not move") {
  const Model load = box(0.1, 0.1, 0.1, 1);
  Stage dut(
      written("<mujoco><compiler settotalmass='5'/><worldbody><body pos='0 0 0.1'><freejoint/>"
              "<geom type='box' size='0.1 0.1 0.1'/></body></worldbody></mujoco>"));
  REQUIRE(dut.run(0.1));
  dut.carried = {{WorldNumber(7), {{0, 0, 0.2}, {}}, &load}};
  CHECK(!dut.run(0.1));
  CHECK(dut.fault.find("what it carries: its document changes") == 0);
}

}  // namespace load_test
