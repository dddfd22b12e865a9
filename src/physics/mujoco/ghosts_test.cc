// Robots that meet as ghosts do what the same bodies do in one agent.
#include <fmt/format.h>

#include <algorithm>

#include "core/approx.h"
#include "physics/mujoco/ghost_rig.h"
#include "physics/mujoco/numbers.h"

namespace ghosts_test {

using namespace convoy;
using namespace convoy::mujoco;

namespace {

// Cubes in one document, each with a place and a speed along x.
struct Box {
  double mass, x, speed = 0, z = 0.1, friction = 1;
};
constexpr double kHalf = 0.1;  // m

ImportedModel boxes(const std::vector<Box>& all) {
  std::string bodies, qpos, qvel;
  for (const Box& b : all) {
    bodies += fmt::format(
        "<body pos='{} 0 {}'><freejoint/><geom type='box' size='{} {} {}' mass='{}' priority='1' "
        "friction='{} 0.005 0.0001'/></body>",
        b.x, b.z, kHalf, kHalf, kHalf, b.mass, b.friction);
    qpos += fmt::format("{} 0 {} 1 0 0 0 ", b.x, b.z);
    qvel += fmt::format("{} 0 0 0 0 0 ", b.speed);
  }
  return written(
      fmt::format("<mujoco><option timestep='0.002' cone='elliptic'/><size memory='1M'/>"
                  "<worldbody>{}</worldbody><keyframe><key name='home' qpos='{}' qvel='{}'/></keyframe></mujoco>",
                  bodies, qpos, qvel));
}

struct Body {
  Vec3 p, v, w;
};

// Of each box at its middle; the states' frames are where the document's origin was.
std::vector<Body> bodies_of(const Stage& stage, const std::vector<Box>& all) {
  const auto body = [](const State& s, const Vec3& at) {
    const Vec3 r = rotate(s.pose.q, at);
    return Body{s.pose.p + r, s.twist.v + cross(s.twist.w, r), s.twist.w};
  };
  std::vector<Body> out{body(stage.state, {all[0].x, 0, all[0].z})};
  const std::size_t n = stage.model().joints.size();
  for (std::size_t i = 1; i < all.size(); ++i) {
    const double *p = stage.tail.data() + 7 * (i - 1), *v = p + n;
    out.push_back({{p[0], p[1], p[2]}, {v[0], v[1], v[2]}, rotate({p[3], p[4], p[5], p[6]}, {v[4], v[5], v[6]})});
  }
  return out;
}

std::vector<Body> bodies_of(const GhostRig& meeting, const std::vector<Box>& all) {
  std::vector<Body> out;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const State& s = meeting.state(i);
    const Vec3 r = rotate(s.pose.q, {all[i].x, 0, all[i].z});
    out.push_back({s.pose.p + r, s.twist.v + cross(s.twist.w, r), s.twist.w});
  }
  return out;
}

std::vector<GhostRig::Guest> each_alone(const std::vector<Box>& all) {
  std::vector<GhostRig::Guest> out;
  for (const Box& b : all) out.push_back({boxes({b}), {}});
  return out;
}

double momentum(const std::vector<Body>& bodies, const std::vector<Box>& all) {
  double sum = 0;
  for (std::size_t i = 0; i < all.size(); ++i) sum += all[i].mass * bodies[i].v.x;
  return sum;
}

double energy(const std::vector<Body>& bodies, const std::vector<Box>& all) {
  double sum = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Body& b = bodies[i];
    const double inertia = all[i].mass * 4 * kHalf * kHalf / 6;
    sum += all[i].mass * (dot(b.v, b.v) / 2 + 9.81 * b.p.z) + inertia * dot(b.w, b.w) / 2;
  }
  return sum;
}

std::string disk(const std::string& name) {
  const auto bytes = read_disk(std::string(CONVOY_SOURCE_DIR "/models/") + name);
  REQUIRE(bytes);
  return {bytes->begin(), bytes->end()};
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const std::size_t at = text.find(what);
  REQUIRE(at != std::string::npos);
  return text.replace(at, what.size(), by);
}

// A rover whose wheels together push with that force, N.
std::string rover(double drive) {
  return replaced(disk("rover.xml"), "forcerange=\"-15 15\"",
                  fmt::format("forcerange=\"{} {}\"", -drive / 40, drive / 40));
}

ImportedModel imported(std::map<std::string, std::string> files, std::vector<std::string> left = {},
                       std::vector<std::string> right = {}) {
  REQUIRE(start(CONVOY_MUJOCO_PLUGINS));
  auto made = import_model("dut.xml", {of(std::move(files)), {}, "dut", std::move(left), std::move(right)});
  if (!made) FAIL(made.error().message());
  return std::move(*made);
}

std::string crate(double x, double mass, double friction) {
  return fmt::format(
      "<body pos='{} 0 0.15'><freejoint/><geom type='box' size='0.15 0.15 0.15' mass='{}' priority='1' "
      "friction='{} 0.005 0.0001'/></body>",
      x, mass, friction);
}

// With the solver of the rover, or of the arm.
std::string scene(const std::string& bodies, const char* solver = "cone='elliptic' impratio='10'") {
  return fmt::format("<mujoco><option timestep='0.002' integrator='implicitfast' {}/><size memory='1M'/>", solver) +
         "<worldbody>" + bodies + "</worldbody></mujoco>";
}

}  // namespace

TEST_CASE("two boxes of two agents hit each other as in one") {
  for (const auto& all : {std::vector<Box>{{10, -0.15, 1, 0.1, 0.1}, {10, 0.15, -1, 0.1, 0.1}},
                          {{100, -0.12, 1, 0.1, 0.1}, {1, 0.12, 0, 0.1, 0.1}},
                          {{1, -0.12, 1, 0.1, 0.1}, {100, 0.12, 0, 0.1, 0.1}},
                          {{10, -0.15, 1, 0.1, 0.1}, {5, 0.15, 0, 0.1, 0.1}}}) {
    CAPTURE(all[0].mass);
    CAPTURE(all[1].mass);
    Stage joint(boxes(all));
    GhostRig dut(each_alone(all));
    for (const double until : {0.1, 0.15, 0.3, 1.5}) {
      REQUIRE(joint.run(until - static_cast<double>(nanos(joint.now)) * 1e-9));
      dut.run(until - static_cast<double>(nanos(dut.begin)) * 1e-9);
      const auto wanted = bodies_of(joint, all), got = bodies_of(dut, all);
      INFO(fmt::format("{} s: x {:.4f} {:.4f} / {:.4f} {:.4f}   v {:.4f} {:.4f} / {:.4f} {:.4f}", until, wanted[0].p.x,
                       wanted[1].p.x, got[0].p.x, got[1].p.x, wanted[0].v.x, wanted[1].v.x, got[0].v.x, got[1].v.x));
      for (const std::size_t i : {0u, 1u})
        CHECK(std::fabs(got[i].p.x - wanted[i].p.x) < 0.05 * std::fabs(wanted[i].p.x - all[i].x) + 0.002);
    }
  }
}

TEST_CASE("who is fast is met in the tick in which he comes, not in the next one") {
  // 10 cm a tick, and 6 cm apart after the first one: none is within any margin there.
  GhostRig dut(each_alone({{10, -0.18, 10, 0.1, 0.1}, {10, 0.18, 0, 0.1, 0.1}}));
  dut.tick();
  CHECK(std::fabs(dut.state(1).twist.v.x) < 1e-12);
  dut.tick();
  CHECK(dut.state(1).twist.v.x > 0.1);
  CHECK(dut.state(0).twist.v.x < 9.9);
}

TEST_CASE("a rover pushes boxes as far as in one agent, less exactly near the limit of its traction") {
  const struct { double share, within; } kCases[] = {{0.25, 0.05}, {0.5, 0.05}, {0.75, 0.4}};
  for (const auto& wanted : kCases) {
    const double share = wanted.share, within = wanted.within;
    CAPTURE(share);
    const double mass = share * 100 / 9.81 / 0.5, at = 0.48;
    const Twist command{{0.6, 0, 0}, {}};
    Stage joint(imported(
        {{"dut.xml", "<mujoco><include file='rover.xml'/><worldbody>" + crate(at, mass, 0.5) + "</worldbody></mujoco>"},
         {"rover.xml", rover(100)}}));
    REQUIRE(joint.run(4, command));
    GhostRig dut({{imported({{"dut.xml", rover(100)}}), {}},
                  {imported({{"dut.xml", scene(crate(0, mass, 0.5))}}), {{at, 0, 0}, {}}}});
    dut.commands[0] = command;
    dut.run(4);
    INFO(fmt::format("share {}: rover {:.3f} box {:.3f} / rover {:.3f} box {:.3f}", share, joint.state.pose.p.x,
                     joint.tail[4] - at, dut.state(0).pose.p.x, dut.state(1).pose.p.x - at));
    CHECK(dut.state(0).pose.p.x == approx(joint.state.pose.p.x).epsilon(within));
    CHECK(dut.state(1).pose.p.x - at == approx(joint.tail[4] - at).epsilon(within));
  }
}

TEST_CASE("who pushes near the limit of its traction is advised of it, once, and no other") {
  const std::string smooth = replaced(rover(100), "friction=\"0.9", "priority=\"1\" friction=\"0.4");
  for (const auto& each : {std::pair{20, false}, {55, true}}) {
    const auto [load, advised] = each;
    CAPTURE(each.first);
    GhostRig dut({{imported({{"dut.xml", smooth}}), {}},
                  {imported({{"dut.xml", scene(crate(0, load / 9.81 / 0.5, 0.5))}}), {{0.48, 0, 0}, {}}}});
    dut.commands[0] = {{0.6, 0, 0}, {}};
    dut.run(4);
    CHECK(dut.advice == std::vector<std::size_t>(advised ? 1 : 0, 0));
  }
}

TEST_CASE("a rover pushes a weaker one as in one agent") {
  const std::string file =
      "<mujoco><option timestep='0.002' integrator='implicitfast' cone='elliptic' impratio='10'/>"
      "<size memory='1M'/><custom><numeric name='convoy_half_separation' data='0.45'/><numeric name='convoy_max_speed' "
      "data='1.5'/>"
      "<numeric name='convoy_max_acceleration' data='2'/></custom>"
      "<asset><model name='a' file='a.xml'/><model name='b' file='b.xml'/></asset><worldbody>"
      "<attach model='a' body='chassis' prefix='a_'/><frame pos='0.6 0 0'><attach model='b' body='chassis' "
      "prefix='b_'/></frame>"
      "</worldbody></mujoco>";
  Stage joint(imported({{"dut.xml", file}, {"a.xml", rover(140)}, {"b.xml", rover(60)}},
                       {"a_front_left", "a_rear_left"}, {"a_front_right", "a_rear_right"}));
  const Twist command{{0.6, 0, 0}, {}};
  REQUIRE(joint.run(4, command));
  GhostRig dut({{imported({{"dut.xml", rover(140)}}), {}}, {imported({{"dut.xml", rover(60)}}), {{0.6, 0, 0}, {}}}});
  dut.commands[0] = command;
  dut.run(4);
  INFO(fmt::format("{:.3f} / {:.3f} {:.3f}", joint.state.pose.p.x, dut.state(0).pose.p.x, dut.state(1).pose.p.x - 0.6));
  CHECK(dut.state(0).pose.p.x == approx(joint.state.pose.p.x).epsilon(0.05));
}

TEST_CASE("an arm pushes a box as in one agent, and its links touch it one-sidedly") {
  const std::string arm = disk("arm.xml");
  const std::string bare = arm.substr(0, arm.find("<keyframe>"));
  const std::string key =
      "<keyframe><key name='home' qpos='{}0 0.5 1.2 0 0.6 0' ctrl='0 0.5 1.2 0 0.6 0'/></keyframe></mujoco>";
  const std::string box =
      "<body name='crate' pos='{}'><freejoint/><geom type='box' size='0.15 0.15 0.3' mass='5' priority='1' "
      "friction='0.2 0.005 0.0001'/></body>";
  const auto put_in = [](std::string text, const std::string& by) { return replaced(std::move(text), "{}", by); };
  Stage joint(imported({{"dut.xml", "<mujoco><worldbody>" + put_in(box, "0.6 0.3 0.3") +
                                        "</worldbody><include file='arm.xml'/>" + put_in(key, "0.6 0.3 0.3 1 0 0 0 ")},
                        {"arm.xml", bare + "</mujoco>"}}));
  GhostRig dut({{imported({{"dut.xml", bare + put_in(key, "")}}), {}},
                {imported({{"dut.xml", scene(put_in(box, "0 0 0.3"), "")}}), {{0.6, 0.3, 0}, {}}}});
  for (int i = 0; i < 300; ++i) {
    const std::vector<Control> turn{{0, std::min(1.0, 0.005 * i)}};
    REQUIRE(joint.run(0.01, {}, turn));
    dut.controls[0] = turn;
    dut.tick();
  }
  const Vec3 wanted{joint.tail[6], joint.tail[7], 0}, got = dut.state(1).pose.p;
  INFO(fmt::format("{:.3f} {:.3f} / {:.3f} {:.3f}; one-sided {}", wanted.x, wanted.y, got.x, got.y,
                   dut.robot(1).inner().one_sided));
  CHECK(std::hypot(wanted.x - 0.6, wanted.y - 0.3) > 0.1);
  CHECK(std::hypot(wanted.x - got.x, wanted.y - got.y) < 0.05 * std::hypot(wanted.x - 0.6, wanted.y - 0.3) + 0.005);
  CHECK(dut.robot(1).inner().one_sided > 0);
  CHECK(dut.robot(0).inner().one_sided == 0);
}

// A heavy sled whose arm, 0.8 m long, begins straight ahead and turns about z.
std::string sled(const std::string& beside = {}) {
  return "<mujoco><option timestep='0.002' integrator='implicitfast' cone='elliptic' impratio='10'/><size "
         "memory='1M'/><worldbody>"
         "<body pos='0 0 0.1'><freejoint/><geom type='box' size='0.2 0.2 0.1' mass='80'/>"
         "<body pos='0 0 0.2'><joint name='turn' axis='0 0 1' damping='5'/>"
         "<geom type='box' pos='0.5 0 0' size='0.3 0.03 0.05' mass='2'/><geom type='sphere' pos='0.8 0 0' size='0.06' "
         "mass='0.1'/>"
         "</body></body>" +
         beside +
         "</worldbody><actuator><position name='turn' joint='turn' kp='300' dampratio='1'/></actuator></mujoco>";
}

TEST_CASE("an arm on a mobile base pushes a box with the place where it is, as in one agent") {
  const auto tall = [](double x, double y) {
    return fmt::format(
        "<body pos='{} {} 0.2'><freejoint/><geom type='box' size='0.1 0.1 0.2' mass='3' priority='1' "
        "friction='0.3 0.005 0.0001'/></body>",
        x, y);
  };
  for (const double spin : {1.0, -1.0}) {  // out of what the starting pose takes, to either side
    CAPTURE(spin);
    Stage joint(written(sled(tall(0.3, spin * 0.6))));
    GhostRig dut({{written(sled()), {}}, {imported({{"dut.xml", scene(tall(0, 0))}}), {{0.3, spin * 0.6, 0}, {}}}});
    bool touched = false;
    for (int i = 0; i < 300; ++i) {
      const std::vector<Control> turn{{0, spin * std::min(2.0, 0.01 * i)}};
      REQUIRE(joint.run(0.01, {}, turn));
      dut.controls[0] = turn;
      dut.tick();
      touched = touched || dut.events[1].touched == std::vector<WorldNumber>{WorldNumber(1)};
    }
    const Vec3 wanted{joint.tail[1], joint.tail[2], 0}, got = dut.state(1).pose.p;
    INFO(fmt::format("{:.3f} {:.3f} / {:.3f} {:.3f}", wanted.x, wanted.y, got.x, got.y));
    CHECK(touched);
    const double way = std::hypot(wanted.x - 0.3, wanted.y - spin * 0.6);
    CHECK(way > 0.2);
    CHECK(std::hypot(wanted.x - got.x, wanted.y - got.y) < 0.1 * way);
  }
}

TEST_CASE("a quadruped that spreads its legs pushes what its starting pose does not touch") {
  const std::string rail = "<body pos='0 0 0.05'><freejoint/><geom type='box' size='0.3 0.03 0.05' mass='0.3'/></body>";
  GhostRig dut({{shipped("quadruped"), {}}, {imported({{"dut.xml", scene(rail)}}), {{0, 0.24, 0}, {}}}});
  const Model& model = dut.world->model_of(Slot(0));
  for (const std::string side : {"fl", "fr", "rl", "rr"}) {
    const auto at = std::find(model.actuators.begin(), model.actuators.end(), side + "_hip");
    REQUIRE(at != model.actuators.end());
    dut.controls[0].push_back({static_cast<std::uint32_t>(at - model.actuators.begin()), side[1] == 'l' ? 0.9 : -0.9});
  }
  dut.run(2);
  const auto kind = Library().kind(model, dut.world->files(), false);
  REQUIRE(kind->bodies.size() == 1);
  CHECK(kind->bodies[0].posed);
  Neighbour it;
  it.state = &dut.state(0), it.model = &model, it.tail = dut.tail(0);
  const GhostBody now = pose_of(*kind, 0, it);
  REQUIRE(now.geoms.size() == kind->bodies[0].geoms.size());
  double widest = 0, at_first = 0;
  for (std::size_t i = 0; i < now.geoms.size(); ++i) {
    widest = std::max(widest, now.geoms[i].X_BG.p.y);
    at_first = std::max(at_first, kind->bodies[0].geoms[i].X_BG.p.y);
  }
  CHECK(at_first < 0.2);
  CHECK(widest > at_first + 0.1);
  INFO(widest);
  CHECK(dut.state(1).pose.p.y > dut.state(0).pose.p.y + widest);
  CHECK(dut.state(1).pose.p.y > 0.27);
}

TEST_CASE("the ghost of who has nothing but wheels is no copy, and one that moves inside has the inertia of its pose") {
  const ImportedModel wheeled = shipped("rover");
  Stage rover(wheeled), moving(written(sled()));
  Library library;
  CHECK(!library.kind(rover.model(), rover.world->files(), false)->bodies[0].posed);
  const auto kind = library.kind(moving.model(), moving.world->files(), false);
  REQUIRE(moving.run(1.5, {}, {{0, 1.5708}}));
  Neighbour it;
  it.state = &moving.state, it.model = &moving.model(), it.tail = moving.tail;
  const GhostBody now = pose_of(*kind, 0, it);
  CHECK(kind->bodies[0].com.x == approx((2 * 0.5 + 0.1 * 0.8) / 82.1));
  CHECK(now.com.y == approx(kind->bodies[0].com.x).epsilon(0.02));
  CHECK(now.inertia[0] == approx(kind->bodies[0].inertia[1]).epsilon(0.02));
  CHECK(now.inertia[1] == approx(kind->bodies[0].inertia[0]).epsilon(0.02));

  // The same in a model, as MuJoCo has it: about principal axes.
  const ModelFiles& files = moving.world->files();
  const auto alone = library.alone(moving.model(), files);
  REQUIRE(alone);
  const std::vector<Ghost> ghosts{{kind, 0}};
  const auto among = library.among(moving.model(), files, **alone, nullptr, nullptr, ghosts);
  REQUIRE(among);
  const mjModel* from = (*among)->model;
  mjModel* m = mj_copyModel(nullptr, from);
  const int body = (*among)->ghosts[0].body;
  put_shape(m, from, body, kind->bodies[0], now);
  CHECK(norm(vec(m->body_ipos + 3 * body) - now.com) < 1e-12);
  std::array<double, 3> along{};  // moments about the body's own axes
  for (int k = 0; k < 3; ++k) {
    const Vec3 axis = rotate(quat(m->body_iquat + 4 * body), {k == 0 ? 1.0 : 0, k == 1 ? 1.0 : 0, k == 2 ? 1.0 : 0});
    const double i = m->body_inertia[3 * body + k];
    along[0] += i * axis.x * axis.x, along[1] += i * axis.y * axis.y, along[2] += i * axis.z * axis.z;
  }
  for (std::size_t k = 0; k < 3; ++k) CHECK(along[k] == approx(now.inertia[k]).epsilon(1e-6));
  CHECK(norm(vec(m->geom_pos + 3 * m->body_geomadr[body]) - now.geoms[0].X_BG.p) < 1e-9);
  mj_deleteModel(m);
}

// MuJoCo's soft contacts themselves give a box back what its edge was pressed in: some 0.2 J of 60 here.
TEST_CASE("a stack that is hit ends where it ends in one agent, and gains no energy that it does not gain there") {
  std::vector<Box> all{{4, 0, 0, 0.1}, {4, 0, 0, 0.3}, {4, 0, 0, 0.5}, {10, -0.3, 2, 0.1}};
  std::vector<Body> low(4), high(4);
  for (int run = 0; run < 10; ++run) {
    std::vector<Box> moved = all;
    moved[3].x += (run - 5) * 2e-5;
    Stage joint(boxes(moved));
    REQUIRE(joint.run(2));
    const auto end = bodies_of(joint, moved);
    for (std::size_t i = 0; i < 4; ++i) {
      low[i].p.x = run ? std::min(low[i].p.x, end[i].p.x) : end[i].p.x;
      high[i].p.x = run ? std::max(high[i].p.x, end[i].p.x) : end[i].p.x;
    }
  }
  GhostRig dut(each_alone(all));
  Stage joint(boxes(all));
  double before = energy(bodies_of(dut, all), all) + 10 * 2 * 2 / 2.0, before_in_one = before;
  for (int i = 0; i < 200; ++i) {
    dut.tick();
    REQUIRE(joint.run(0.01));
    const double now = energy(bodies_of(dut, all), all), in_one = energy(bodies_of(joint, all), all);
    CHECK(now - before < std::max(0.0, in_one - before_in_one) + 0.005);  // J
    before = now, before_in_one = in_one;
    const double wanted = momentum(bodies_of(joint, all), all), got = momentum(bodies_of(dut, all), all);
    CAPTURE(i);
    CHECK(std::fabs(got - wanted) < 0.02 * 10 * 2);
    if (i == 9) CHECK(got == approx(wanted).epsilon(0.1));  // the hit is over, the slide is not
  }
  const auto end = bodies_of(dut, all);
  for (std::size_t i = 0; i < 4; ++i) {
    INFO(fmt::format("box {}: {:.5f} between {:.5f} and {:.5f}", i, end[i].p.x, low[i].p.x, high[i].p.x));
    CHECK(end[i].p.x > low[i].p.x - 5e-5);  // MuJoCo 3.17 is 0.02 mm outside
    CHECK(end[i].p.x < high[i].p.x + 5e-5);
  }
}

TEST_CASE("among ghosts too, step, save, step, restore, step gives the same bytes, in a fresh robot too") {
  GhostRig dut({{imported({{"dut.xml", rover(100)}}), {}},
                {imported({{"dut.xml", scene(crate(0, 5, 0.5))}}), {{0.48, 0, 0}, {}}}});
  dut.commands[0] = {{0.6, 0, 0}, {}};
  int met[2] = {0, 0};
  for (int tick = 0; tick < 100; ++tick) {
    dut.tick();
    for (const std::uint32_t i : {0u, 1u})
      met[i] += dut.events[i].touched == std::vector<WorldNumber>{WorldNumber(2 - i)};
  }
  CHECK(met[0] > 10);
  CHECK(met[1] > 10);
  for (const std::size_t i : {0u, 1u}) {
    CAPTURE(i);
    const Bytes there = dut.saved(i);
    State wanted_state = dut.state(i), state = wanted_state;
    std::vector<double> wanted_tail(dut.tail(i).begin(), dut.tail(i).end()), tail = wanted_tail;
    dut.step(i, wanted_state, wanted_tail);
    const Bytes wanted = dut.saved(i);
    CHECK(wanted.size() == there.size());
    for (const bool fresh : {false, true}) {
      if (fresh) dut.physics[i] = dut.another(i);
      Reader in(there);
      REQUIRE(dut.physics[i]->load(in));
      State again = state;
      std::vector<double> again_tail = tail;
      dut.step(i, again, again_tail);
      CHECK(dut.saved(i) == wanted);
      CHECK(again == wanted_state);
      CHECK(again_tail == wanted_tail);
    }
  }
}

TEST_CASE("who has no neighbour in reach moves to the bit as if alone in the world, however near he is") {
  // Along a wall of its own weight, 6 cm beside it: the sphere around the wall holds the rover, and no box does.
  const std::string wall = "<body pos='0 0 0.15'><freejoint/><geom type='box' size='1 0.02 0.15' mass='5'/></body>";
  Library library;
  Stage alone(imported({{"dut.xml", rover(100)}}));
  const double beside = library.kind(alone.model(), alone.world->files(), false)->bodies[0].box.high.y + 0.02;
  REQUIRE(alone.run(1, {{0.6, 0, 0}, {}}));
  for (const double gap : {2.0, 0.06, 0.01}) {
    CAPTURE(gap);
    GhostRig dut({{imported({{"dut.xml", rover(100)}}), {}},
                  {imported({{"dut.xml", scene(wall)}}), {{0, beside + gap, 0}, {}}}});
    dut.commands[0] = {{0.6, 0, 0}, {}};
    dut.run(1);
    CHECK((alone.saved() == dut.saved(0)) ==
          (gap > 0.02));  // within 2 cm it has a ghost, which weighs on the last bits
  }
}

TEST_CASE("a tick in several steps is the tick in one, to the bit: alone, at walls and among all kinds of ghosts") {
  const auto meeting = [](int parts) {
    std::vector<GhostRig::Guest> guests = each_alone({{10, -0.15}, {10, 0.15}});
    guests.push_back({imported({{"dut.xml", rover(60)}}), {{-1.2, 0, 0}, {}}});
    guests.push_back({shipped("arm"), {{0.15, 0.55, 0}, {}}});
    guests.push_back({shipped("quadruped"), {{1.1, 0, 0}, {}}});
    guests.push_back({shipped("turtlebot3_burger"), {{9, 9, 0}, {}}});
    GhostRig out(std::move(guests));
    out.parts = parts;
    return out;
  };
  GhostRig whole = meeting(1), parts = meeting(5);
  int touches = 0;
  for (int tick = 0; tick < 150; ++tick) {
    for (GhostRig* dut : {&whole, &parts}) {
      dut->commands[2] = dut->commands[5] = Twist{{0.5, 0, 0}, {}};
      if (tick % 20 == 0) dut->controls[3] = {{0, -1.5 + tick * 0.01}, {1, 0.9}};
      dut->tick();
    }
    for (std::size_t i = 0; i < whole.physics.size(); ++i) {
      touches += static_cast<int>(whole.events[i].touched.size());
      CHECK(whole.events[i].touched == parts.events[i].touched);
      REQUIRE(whole.state(i) == parts.state(i));
      REQUIRE(std::equal(whole.tail(i).begin(), whole.tail(i).end(), parts.tail(i).begin()));
      REQUIRE(whole.saved(i) == parts.saved(i));
    }
  }
  CHECK(touches > 50);
}

}  // namespace ghosts_test
