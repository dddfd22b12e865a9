#include "physics/kinematic.h"

#include <doctest/doctest.h>

#include <cmath>

#include "core/approx.h"
#include "core/math.h"
#include "core/random.h"

namespace kinematic_test {

using namespace convoy;
using namespace std::chrono_literals;

namespace {

Model model_named(const std::string& name) {
  for (Model& m : built_in_models())
    if (m.name == name) return m;
  FAIL("no model ", name);
  return {};
}

// One robot on an empty plane.
struct Bench {
  explicit Bench(const Model& m) : model(m), dut(m), tail(m.joints.size() * 2) {}

  void step(double speed, double turn_rate, Duration length = 10ms) {
    PhysicsInput in{.begin = state.stamp, .step = length, .self = WorldNumber(1)};
    in.command.v.x = speed, in.command.w.z = turn_rate;
    dut.step(in, state, tail, events);
  }
  double yaw() const { return yaw_of(state.pose.q); }

  Model model;
  KinematicPhysics dut;
  State state;
  std::vector<double> tail;
  PhysicsEvents events;
};

}  // namespace

TEST_CASE("speed and turn rate approach the command by the acceleration limits and stop at the model's") {
  Bench b(model_named("turtlebot3_burger"));

  b.step(9, 9);
  CHECK(b.state.twist.v.x == approx(0.025));
  CHECK(b.state.twist.w.z == approx(0.032));
  for (int i = 0; i < 200; ++i) b.step(9, 9);
  CHECK(std::hypot(b.state.twist.v.x, b.state.twist.v.y) == approx(0.22));
  CHECK(b.state.twist.w.z == approx(2.84));
  CHECK(b.events.wheel_right - b.events.wheel_left == approx(2 * 0.08 * 2.84));
  for (int i = 0; i < 300; ++i) b.step(-9, -9);
  CHECK(b.events.wheel_right + b.events.wheel_left == approx(-0.44));
  CHECK(b.state.twist.w.z == approx(-2.84));
  CHECK(b.state.stamp == Instant(5010ms));

  for (int i = 0; i < 100; ++i) b.step(std::nan(""), std::nan(""));
  CHECK(b.state.twist == Twist{});
  const State rest = b.state;
  b.step(0, 0);
  CHECK(b.state.pose == rest.pose);
}

TEST_CASE("a constant twist drives the arc of its closed form, small steps or large") {
  for (Duration length : {Duration(1ms), Duration(10ms), Duration(100ms)}) {
    Model m = model_named("turtlebot3_burger");
    m.max_acceleration = m.max_turn_acceleration = 1e9;
    Bench b(m);
    b.state.pose.p = {3, -2, 0.5};
    b.state.pose.q = from_yaw(0.7);
    const double v = 0.2, w = -2.5;
    while (b.state.stamp < Instant(7s)) b.step(v, w, length);
    const double end = 0.7 + w * 7;
    CHECK(b.state.pose.p.x == approx(3 + v / w * (std::sin(end) - std::sin(0.7))).epsilon(1e-12));
    CHECK(b.state.pose.p.y == approx(-2 - v / w * (std::cos(end) - std::cos(0.7))).epsilon(1e-12));
    CHECK(b.state.pose.p.z == 0.5);
    CHECK(std::abs(math::wrap_angle(b.yaw() - end)) < 1e-12);
    CHECK(b.tail[0] == approx((v - w * 0.08) * 7 / 0.033));
    CHECK(b.tail[2] == approx((v - w * 0.08) / 0.033));
    const Quat q = b.state.pose.q;
    CHECK(std::abs(q.w * q.w + q.z * q.z - 1) < 1e-15);
  }
}

TEST_CASE("roll and pitch stay while the heading turns") {
  Bench b(model_named("turtlebot3_burger"));
  const Quat tilt = Quat{std::cos(0.1), std::sin(0.1), 0, 0} * Quat{std::cos(0.05), 0, std::sin(0.05), 0};
  b.state.pose.q = from_yaw(1.0) * tilt;
  const double before = b.yaw();

  for (int i = 0; i < 500; ++i) b.step(0.1, 1);

  const Vec3 up = rotate(from_yaw(before - b.yaw()) * b.state.pose.q, {0, 0, 1});
  const Vec3 start = rotate(from_yaw(1.0) * tilt, {0, 0, 1});
  CHECK(up.x == approx(start.x));
  CHECK(up.y == approx(start.y));
  CHECK(b.tail[1] > b.tail[0]);
}

TEST_CASE("a burger that drives a square comes back") {
  Model m = model_named("turtlebot3_burger");
  m.max_turn_acceleration = 1e9, m.max_acceleration = 1e9;
  Bench b(m);
  for (int side = 0; side < 4; ++side) {
    for (int i = 0; i < 500; ++i) b.step(0.2, 0);
    for (int i = 0; i < 100; ++i) b.step(0, math::kPi / 2);
  }
  CHECK(std::abs(b.state.pose.p.x) < 1e-9);
  CHECK(std::abs(b.state.pose.p.y) < 1e-9);
  CHECK(std::abs(b.yaw()) < 1e-9);
}

TEST_CASE("steered robots cannot turn on the spot, and keep their curvature, turn rate and steering rate") {
  for (const char* name : {"cart", "truck"}) {
    Bench b(model_named(name));
    for (int i = 0; i < 100; ++i) b.step(0, 1);
    CHECK(b.state.pose == Pose{});

    Random rng{stream_key(5, 0, name)};
    const double sharpest = std::tan(b.model.max_steering) / b.model.wheelbase;
    double v = 0, w = 0;
    for (int i = 0; i < 5000; ++i) {
      if (i % 60 == 0) v = rng.uniform(-2, 2), w = rng.uniform(-3, 3);
      const double before = b.tail[0];
      b.step(v, w);
      const double speed = std::sqrt(b.state.twist.v.x * b.state.twist.v.x + b.state.twist.v.y * b.state.twist.v.y);
      REQUIRE(std::abs(b.state.twist.w.z) <= speed * sharpest * (1 + 1e-9) + 1e-12);
      REQUIRE(std::abs(b.state.twist.w.z) <= b.model.max_turn_rate * (1 + 1e-9));
      REQUIRE(std::abs(b.events.wheel_left) <= b.model.max_speed * (1 + 1e-9));
      REQUIRE(std::abs(b.tail[0] - before) <= b.model.max_steering_rate * 0.01 * (1 + 1e-9));
      REQUIRE(b.events.steering == b.tail[0]);
    }
  }
}

TEST_CASE("a cart settles on the curvature that was asked for") {
  Bench b(model_named("cart"));
  for (int i = 0; i < 500; ++i) b.step(1.0, 0.5);
  CHECK(b.state.twist.w.z == approx(0.5));
  CHECK(std::hypot(b.state.twist.v.x, b.state.twist.v.y) == approx(1.0));
}

TEST_CASE("a box stays where it is") {
  Bench b(model_named("box"));
  b.step(1, 1);
  CHECK(b.state.pose == Pose{});
  CHECK(b.events.wheel_left == 0);
}

TEST_CASE("saved and loaded physics continue with the same bits, and bad bytes are refused") {
  for (const char* name : {"turtlebot3_waffle", "cart", "truck"}) {
    Bench a(model_named(name));
    Random rng{stream_key(6, 0, name)};
    double v = 0, w = 0;
    for (int i = 0; i < 333; ++i) {
      if (i % 20 == 0) v = rng.uniform(-1, 1), w = rng.uniform(-1, 1);
      a.step(v, w);
    }
    Bytes bytes;
    {
      SaveFields out(bytes);
      a.dut.save(out);
    }
    Bench b(a.model);
    b.state = a.state, b.tail = a.tail;
    Reader in(bytes);
    REQUIRE(b.dut.load(in));
    CHECK(in.done());
    for (int i = 0; i < 300; ++i) {
      if (i % 20 == 0) v = rng.uniform(-1, 1), w = rng.uniform(-1, 1);
      a.step(v, w);
      b.step(v, w);
      REQUIRE(words(a.state) == words(b.state));
      REQUIRE(a.tail == b.tail);
    }
    DescribeFields::List da, db;
    a.dut.describe(da), b.dut.describe(db);
    CHECK_FALSE(first_difference(da, db).has_value());

    for (std::size_t cut = 0; cut < bytes.size(); ++cut) {
      Reader shorter(ByteView(bytes).first(cut));
      CHECK_FALSE(b.dut.load(shorter));
    }
    Bytes wrong(bytes.size(), 0xff);
    Reader garbage(wrong);
    CHECK_FALSE(b.dut.load(garbage));
  }
}

TEST_CASE("reset forgets speed and steering") {
  Bench b(model_named("cart"));
  for (int i = 0; i < 100; ++i) b.step(1, 1);
  b.dut.reset(b.state);
  b.step(0, 0);
  CHECK(b.state.twist == Twist{});
}

}  // namespace kinematic_test
