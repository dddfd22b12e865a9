// A MuJoCo robot and one of the plane (physics/plane.h) push each other: each keeps its half, and nothing gets lost.
#include <fmt/format.h>

#include "core/approx.h"
#include "physics/mujoco/plane_rig.h"

namespace plane_test {

using namespace convoy;
using namespace convoy::mujoco;

namespace {

// It floats: no ground takes part. Of two that are alike the edges would meet, which is another contact at each step.
ImportedModel block(double mass, double speed = 0, const char* size = "0.1 0.1 0.1") {
  return written(
      fmt::format("<mujoco><option timestep='0.002' gravity='0 0 0'/><size memory='1M'/><worldbody><body pos='0 0 "
                  "0.1'><freejoint/><geom type='box' size='{}' mass='{}'/></body></worldbody>"
                  "<keyframe><key name='home' qpos='0 0 0.1 1 0 0 0' qvel='{} 0 0 0 0 0'/></keyframe></mujoco>",
                  size, mass, speed),
      Ground::kNone);
}
constexpr const char* kWide = "0.1 0.13 0.07";

}  // namespace

TEST_CASE("a MuJoCo cube and one of the plane run into each other, and their momentum is what it was") {
  struct Case {
    double mass, speed, other_mass, other_speed;
  };
  for (const double gap : {0.1, 0.1041, 0.1079, 0.115})
    for (const Case& c : {Case{10, 1, 10, -1}, {10, 1, 10, 0}, {100, 1, 10, 0}, {10, 1, 100, 0}, {20, 0.5, 30, -1}}) {
      CAPTURE(gap);
      PlaneRig dut({block(c.mass, c.speed), {{-0.1 - gap / 2, 0, 0}, {}}},
                   {block(c.other_mass, 0, kWide), {{0.1 + gap / 2, 0, 0}, {}}});
      dut.sledge().speed = c.other_speed;
      const double before = c.mass * c.speed + c.other_mass * c.other_speed;
      dut.rig.run(1);
      const double one = dut.rig.state(0).twist.v.x, other = dut.rig.state(1).twist.v.x;
      const double exchanged = std::fabs(c.mass * (one - c.speed));
      INFO(fmt::format("{} kg: {:.4f} m/s, {} kg: {:.4f} m/s, exchanged {:.4f} N s", c.mass, one, c.other_mass, other,
                       exchanged));
      CHECK(exchanged > 0.9 * std::fabs(c.speed - c.other_speed) * c.mass * c.other_mass / (c.mass + c.other_mass));
      CHECK(std::fabs(c.mass * one + c.other_mass * other - before) < 0.02 * exchanged);
      CHECK(other - one > 0);  // and they part
    }
}

namespace {

struct Hit {
  int touched = 0;                              // ticks
  double gained = 0, given = 0, exchanged = 0;  // N s: by both together, by the ground as their owners measured it
  double lost() const { return std::fabs(gained - given); }
};

// A rover and a block of 15 kg, one of which pushes the other for 2 s. `plane`: it moves the block, else MuJoCo does.
Hit meet(double forward, double force, bool plane) {
  PlaneRig dut({shipped("rover"), {}}, {block(15, 0, kWide), {{0.45, 0, 0}, {}}});
  dut.sledge().force = force;
  if (!plane) dut.rig.physics[1] = dut.rig.another(1);
  dut.rig.commands[0] = {{forward, 0, 0}, {}};
  Hit out;
  double ground = 0, first_ground = 0, first = 0;
  const auto momentum = [&] { return 20 * dut.rig.state(0).twist.v.x + 15 * dut.rig.state(1).twist.v.x; };
  for (int i = 0; i < 200; ++i) {
    if (out.touched == 0) first = momentum(), first_ground = ground;
    dut.rig.tick();
    for (const std::size_t robot : {0u, 1u})
      ground += 0.01 * dut.rig.tail(robot)[joints_size(dut.rig.world->model_of(GhostRig::slot(robot)))];
    if (dut.rig.events[1].touched.empty()) continue;
    ++out.touched, out.gained = momentum() - first, out.given = ground - first_ground;
    out.exchanged = std::fabs(15 * dut.rig.state(1).twist.v.x - force * 0.01 * (i + 1));
  }
  MESSAGE(fmt::format("{} ticks: {:.3f} N s, of the ground {:.3f}; exchanged {:.3f}", out.touched, out.gained,
                      out.given, out.exchanged));
  return out;
}

}  // namespace

TEST_CASE("a rover is pushed by one of the plane, and their momentum is what the ground gave them") {
  const Hit hit = meet(0, -30, true);
  CHECK(hit.touched > 50);
  CHECK(hit.exchanged > 5);
  CHECK(hit.lost() < 0.02 * hit.exchanged);
}

TEST_CASE("a rover that hits one of the plane loses no more than where it hits one of MuJoCo's") {
  const Hit hit = meet(0.5, 0, true), alike = meet(0.5, 0, false);
  CHECK(hit.touched > 5);
  CHECK(hit.exchanged == approx(alike.exchanged).epsilon(0.15));
  CHECK(hit.lost() < alike.lost());
}

}  // namespace plane_test
