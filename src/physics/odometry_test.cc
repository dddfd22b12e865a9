#include "physics/odometry.h"

#include <doctest/doctest.h>

#include <cmath>

#include "core/approx.h"
#include "core/math.h"
#include "physics/kinematic.h"

namespace odometry_test {

using namespace convoy;
using namespace std::chrono_literals;

namespace {

struct Drive1 {
  explicit Drive1(const Model& m) : model(m), physics(m), tail(m.joints.size() * 2) {}

  int run(double speed, double turn_rate, int steps) {
    int readings = 0;
    for (int i = 0; i < steps; ++i) {
      PhysicsInput in{.begin = state.stamp, .step = 10ms, .self = WorldNumber(1)};
      in.command.v.x = speed, in.command.w.z = turn_rate;
      physics.step(in, state, tail, events);
      readings += advance(dut, model, events, 10ms);
    }
    return readings;
  }

  Model model;
  KinematicPhysics physics;
  State state;
  std::vector<double> tail;
  PhysicsEvents events;
  Odometry dut{.random = {stream_key(1, 1, "encoder")}};
};

}  // namespace

TEST_CASE("without noise odometry gives the pose, for every drive") {
  for (Model& m : built_in_models()) {
    m.encoder_noise = 0;
    Drive1 d(m);
    d.run(0.2, 0.4, 500);
    d.run(-0.1, 0.3, 300);

    CHECK(std::abs(d.dut.x - d.state.pose.p.x) < 1e-4);
    CHECK(std::abs(d.dut.y - d.state.pose.p.y) < 1e-4);
    CHECK(std::abs(d.dut.yaw - yaw_of(d.state.pose.q)) < 1e-4);
    CHECK(d.dut.turn_rate == about(d.state.twist.w.z, 1e-9));
    CHECK(d.dut.random.counter == 0);
  }
}

TEST_CASE("the error stays within a few of the deviations that the covariance gives") {
  const Model m = built_in_models()[0];
  int inside = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Drive1 d(m);
    d.dut.random = {stream_key(seed, 1, "encoder")};
    d.dut.period = 50ms;
    d.run(0.2, 0.1, 3000);
    const auto p = pose_covariance(d.dut);
    inside += std::abs(math::wrap_angle(d.dut.yaw - yaw_of(d.state.pose.q))) < 2 * std::sqrt(p[35]);
    inside += std::abs(d.dut.x - d.state.pose.p.x) < 2 * std::sqrt(p[0]);
    inside += std::abs(d.dut.y - d.state.pose.p.y) < 2 * std::sqrt(p[7]);
    CHECK(p[35] > 1e-6);
    CHECK(p[14] == kUnseen);
    CHECK(p[1] * p[1] <= p[0] * p[7]);
  }
  CHECK(inside >= 108);  // of 120; 95 in 100 are expected
  CHECK(inside < 120);   // and it is not merely large
}

TEST_CASE("encoders are read once a period and draw only when a wheel has turned") {
  Drive1 d(built_in_models()[0]);
  d.dut.period = 40ms;
  CHECK(d.run(0, 0, 100) == 25);
  CHECK(d.dut.random.counter == 0);
  CHECK(d.dut.xx == 0);
  CHECK(d.run(0.2, 0, 100) == 25);
  CHECK(d.dut.random.counter == 25);
  const double variance = d.dut.xx;
  CHECK(variance > 0);
  d.run(0.2, 0, 100);
  CHECK(d.dut.xx > variance);
}

TEST_CASE("saved and loaded odometry continues with the same bits") {
  Drive1 a(built_in_models()[3]);
  a.dut.period = 30ms;
  a.run(0.7, 0.2, 101);
  Drive1 b = a;
  b.dut = {};
  REQUIRE(load(save(a.dut), b.dut));
  a.run(0.7, -0.1, 100);
  b.run(0.7, -0.1, 100);
  CHECK(a.dut == b.dut);
}

}  // namespace odometry_test
