// Robots that meet as ghosts do what the same bodies do in one agent.
#include <fmt/format.h>

#include "physics/mujoco/meeting.h"

using namespace convoy;
using namespace convoy::mujoco;

namespace {

std::string box(double mass, double half = 0.1, double friction = 1) {
  return fmt::format("<freejoint/><geom type='box' size='{0} {0} {0}' mass='{1}' friction='{2} 0.005 0.0001'/>", half,
                     mass, friction);
}

// Boxes along x in one document, each with a speed.
struct Box {
  double mass, x, speed, friction = 1;
};
ImportedModel boxes(const std::vector<Box>& all) {
  std::string bodies, qpos, qvel;
  for (const Box& b : all) {
    bodies += fmt::format("<body pos='{} 0 0.1'>{}</body>", b.x, box(b.mass, 0.1, b.friction));
    qpos += fmt::format("{} 0 0.1 1 0 0 0 ", b.x);
    qvel += fmt::format("{} 0 0 0 0 0 ", b.speed);
  }
  return written(fmt::format("<mujoco><option timestep='0.002' cone='elliptic'/><worldbody>{}</worldbody><keyframe>"
                             "<key name='home' qpos='{}' qvel='{}'/></keyframe></mujoco>",
                             bodies, qpos, qvel));
}

struct Outcome {
  double x[2], v[2];
};

Outcome together(const std::vector<Box>& all, double duration) {
  Stage dut(boxes(all));
  REQUIRE(dut.run(duration));
  return {{dut.state.pose.p.x + all[0].x, dut.tail[0]}, {dut.state.twist.v.x, dut.tail[7]}};
}

Outcome apart(const std::vector<Box>& all, double duration) {
  Meeting dut({{boxes({all[0]}), {}}, {boxes({all[1]}), {}}});
  dut.run(duration);
  return {{dut.state(0).pose.p.x + all[0].x, dut.state(1).pose.p.x + all[1].x},
          {dut.state(0).twist.v.x, dut.state(1).twist.v.x}};
}

}  // namespace

TEST_CASE("two boxes of two agents hit each other as in one") {
  for (const auto& all : {std::vector<Box>{{10, -0.15, 1}, {10, 0.15, -1}}, {{100, -0.15, 1}, {1, 0.15, 0}},
                          {{1, -0.15, 1}, {100, 0.15, 0}}, {{10, -0.15, 1, 0.1}, {5, 0.15, 0, 0.1}}}) {
    CAPTURE(all[0].mass);
    CAPTURE(all[1].mass);
    for (const double after : {0.08, 0.12, 0.3, 1.5}) {
      const Outcome wanted = together(all, after), got = apart(all, after);
      MESSAGE(fmt::format("{} s: x {:.4f} {:.4f} / {:.4f} {:.4f}   v {:.4f} {:.4f} / {:.4f} {:.4f}", after, wanted.x[0],
                          wanted.x[1], got.x[0], got.x[1], wanted.v[0], wanted.v[1], got.v[0], got.v[1]));
      for (const int i : {0, 1}) CHECK(std::fabs(got.x[i] - wanted.x[i]) < 0.05 * std::fabs(wanted.x[i] - all[i].x) + 0.005);
    }
  }
}
