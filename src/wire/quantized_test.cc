#include "wire/quantized.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "core/approx.h"
#include "core/random.h"

namespace quantized_test {

using namespace convoy;

namespace {

State random_state(Random& random, double reach) {
  State s;
  s.pose.p.x = random.uniform(-reach, reach);
  s.pose.p.y = random.uniform(-reach, reach);
  s.pose.p.z = random.uniform(-500, 500);
  double q[4], norm = 0;
  for (double& c : q) c = random.normal(), norm += c * c;
  norm = std::sqrt(norm);
  s.pose.q = {q[0] / norm, q[1] / norm, q[2] / norm, q[3] / norm};
  s.twist.v = {random.uniform(-40, 40), random.uniform(-40, 40), random.uniform(-40, 40)};
  s.twist.w.z = random.uniform(-20, 20);
  s.discontinuity = random.below(1000);
  return s;
}

double angle_between(const Quat& a, const Quat& b) {
  const Quat d = a.conjugate() * b;
  return 2 * std::atan2(std::sqrt(d.x * d.x + d.y * d.y + d.z * d.z), std::fabs(d.w));
}

}  // namespace

TEST_CASE("a quantised state is within half a millimetre and 0.11 degrees, anywhere in the world") {
  Random random{stream_key(1, 0, "quantize")};
  double worst_length = 0, worst_angle = 0, worst_speed = 0;
  for (int i = 0; i < 20'000; ++i) {
    const State s = random_state(random, i % 2 == 0 ? 500 : 900'000);
    const WorldNumber number(static_cast<std::uint32_t>(random.below(kMaxQuantizedNumber.value() + 1)));
    const BatchOrigin origin = origin_for(s);
    QuantizedState bytes;
    REQUIRE(quantize(s, number, origin, bytes.data()));

    const Dequantized d = dequantize(bytes.data(), origin);

    CHECK(d.number == number);
    CHECK(d.discontinuity == s.discontinuity % 16);
    worst_length = std::max({worst_length, std::fabs(d.pose.p.x - s.pose.p.x), std::fabs(d.pose.p.y - s.pose.p.y),
                             std::fabs(d.pose.p.z - s.pose.p.z)});
    worst_angle = std::max(worst_angle, angle_between(d.pose.q, s.pose.q));
    worst_speed = std::max({worst_speed, std::fabs(d.twist.v.x - s.twist.v.x), std::fabs(d.twist.w.z - s.twist.w.z)});
  }
  CHECK(worst_length < 0.000501);
  CHECK(worst_angle < 0.11 * 3.14159265 / 180);
  CHECK(worst_speed < 0.00501);
}

TEST_CASE("what does not fit is refused, fast movers are clamped") {
  QuantizedState bytes;
  State s;
  CHECK(quantize(s, kMaxQuantizedNumber, {}, bytes.data()));
  CHECK_FALSE(quantize(s, WorldNumber(kMaxQuantizedNumber.value() + 1), {}, bytes.data()));
  s.pose.p.x = 2098;
  CHECK_FALSE(quantize(s, WorldNumber(0), {}, bytes.data()));
  CHECK(quantize(s, WorldNumber(0), origin_for(s), bytes.data()));
  s.pose.p.x = std::numeric_limits<double>::quiet_NaN();
  CHECK_FALSE(quantize(s, WorldNumber(0), {}, bytes.data()));
  s.pose.p.x = 0;
  s.twist.v.y = std::numeric_limits<double>::infinity();
  CHECK_FALSE(quantize(s, WorldNumber(0), {}, bytes.data()));
  s.twist.v.y = -1000;
  REQUIRE(quantize(s, WorldNumber(0), {}, bytes.data()));
  CHECK(dequantize(bytes.data(), {}).twist.v.y == approx(-40.95));
}

TEST_CASE("any 25 bytes decode to finite numbers and a unit quaternion") {
  Random random{stream_key(2, 0, "quantize")};
  for (int i = 0; i < 20'000; ++i) {
    QuantizedState bytes;
    for (auto& b : bytes) b = static_cast<std::uint8_t>(random.below(256));
    const Dequantized d = dequantize(bytes.data(), {1000, -2000});
    const Quat& q = d.pose.q;
    CHECK(std::fabs(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z - 1) < 1e-12);
    CHECK(std::isfinite(d.pose.p.x + d.twist.v.z + d.twist.w.x));
  }
}

}  // namespace quantized_test
