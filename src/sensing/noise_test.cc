// The noise of sensors.
#include "sensing/noise.h"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

namespace noise_test {

using namespace convoy;

namespace {

struct Moments {
  double mean = 0, variance = 0, third = 0, fourth = 0;
};
Moments moments_of(const std::vector<double>& values) {
  Moments out;
  const double n = static_cast<double>(values.size());
  for (double v : values) out.mean += v / n;
  for (double v : values) {
    const double d = v - out.mean;
    out.variance += d * d / n, out.third += d * d * d / n, out.fourth += d * d * d * d / n;
  }
  return out;
}

constexpr WorldNumber kRobot(3);

}  // namespace

TEST_CASE("a sample's noise is its own, whatever was drawn before") {
  Noise late(1, kRobot, "imu", 7);
  const double expected = late.normal();
  for (std::uint64_t sample = 0; sample < 7; ++sample) {
    Noise noise(1, kRobot, "imu", sample);
    for (int i = 0; i < 10; ++i) CHECK(noise.normal() != expected);
  }
  CHECK(Noise(1, kRobot, "imu", 7).normal() == expected);
  CHECK(Noise(2, kRobot, "imu", 7).normal() != expected);
  CHECK(Noise(1, WorldNumber(4), "imu", 7).normal() != expected);
  CHECK(Noise(1, kRobot, "imu2", 7).normal() != expected);
}

TEST_CASE("it is normal, within a sample and over samples") {
  std::vector<double> within, over;
  Noise noise(5, kRobot, "scan", 0);
  for (int i = 0; i < 100'000; ++i) within.push_back(noise.normal());
  for (std::uint64_t i = 0; i < 100'000; ++i) over.push_back(Noise(5, kRobot, "scan", i).normal());
  for (const auto& values : {within, over}) {
    const Moments m = moments_of(values);
    CHECK(std::fabs(m.mean) < 0.015);
    CHECK(std::fabs(m.variance - 1) < 0.02);
    CHECK(std::fabs(m.third) < 0.05);
    CHECK(std::fabs(m.fourth - 3) < 0.12);
  }
}

TEST_CASE("a walk's steps are standard normal and independent, and its variance is their number") {
  std::vector<double> steps, apart, ends;
  double before = walk(1, kRobot, "gyro", 0), earlier = 0;
  CHECK(before == 0);
  for (std::uint64_t i = 1; i <= 20'000; ++i) {
    const double at = walk(1, kRobot, "gyro", i);
    steps.push_back(at - before);
    if (i > 1) apart.push_back((at - before) * earlier);
    earlier = at - before, before = at;
  }
  CHECK(std::fabs(moments_of(steps).mean) < 0.03);
  CHECK(std::fabs(moments_of(steps).variance - 1) < 0.05);
  CHECK(std::fabs(moments_of(apart).mean) < 0.03);
  for (std::uint32_t robot = 1; robot <= 5000; ++robot)
    ends.push_back(walk(1, WorldNumber(robot), "gyro", 1000) / std::sqrt(1000.0));
  CHECK(std::fabs(moments_of(ends).mean) < 0.06);
  CHECK(std::fabs(moments_of(ends).variance - 1) < 0.08);
}

TEST_CASE("walks of other names, robots and seeds are others, and a walk ends somewhere") {
  const double one = walk(1, kRobot, "gyro", 500);
  CHECK(walk(1, kRobot, "gyro", 500) == one);
  CHECK(walk(1, kRobot, "accelerometer", 500) != one);
  CHECK(walk(2, kRobot, "gyro", 500) != one);
  CHECK(walk(1, WorldNumber(4), "gyro", 500) != one);
  CHECK(walk(1, kRobot, "gyro", kMaxWalk) == walk(1, kRobot, "gyro", ~0ull));
}

}  // namespace noise_test
