#include "world/dead_reckoning.h"

#include <doctest/doctest.h>

#include <cmath>

#include "core/math.h"

namespace dead_reckoning_test {

using namespace convoy;
using namespace std::chrono_literals;

namespace {

State moving(double x, double y, double yaw, double speed, double turn) {
  State s;
  s.stamp = instant(1'000'000'000);
  s.pose.p = {x, y, 0};
  s.pose.q = from_yaw(yaw);
  s.twist.v = {speed * std::cos(yaw), speed * std::sin(yaw), 0};
  s.twist.w.z = turn;
  return s;
}

StaticMap with_wall_at(double x) {  // 10 x 10 m, free but for one column of cells
  MapData data;
  data.width = data.height = 200;
  data.cells.assign(200 * 200, 0);
  const auto column = static_cast<std::size_t>(x / data.resolution + 0.5);
  for (std::size_t row = 0; row < 200; ++row) data.cells[row * 200 + column] = 1;
  return *StaticMap::make(std::move(data));
}

}  // namespace

TEST_CASE("a constant twist is an arc, and its age is clamped") {
  const State s = moving(1, 2, 0.5, 0.2, 1.5);
  for (const Duration age : {1ms, 40ms, 250ms, 5000ms}) {
    const double t = std::min(0.25, seconds(age));
    const State later = dead_reckoned(s, s.stamp + age, {}, 0.1);
    const double r = 0.2 / 1.5, yaw = 0.5 + 1.5 * t;  // a circle of radius v / w
    CHECK(std::abs(later.pose.p.x - (1 + r * (std::sin(yaw) - std::sin(0.5)))) < 1e-12);
    CHECK(std::abs(later.pose.p.y - (2 - r * (std::cos(yaw) - std::cos(0.5)))) < 1e-12);
    CHECK(std::abs(yaw_of(later.pose.q) - yaw) < 1e-12);
    CHECK(std::abs(later.twist.v.x - 0.2 * std::cos(yaw)) < 1e-12);
    CHECK(std::abs(later.twist.v.y - 0.2 * std::sin(yaw)) < 1e-12);
    CHECK(later.twist.w == s.twist.w);
    CHECK(later.stamp == s.stamp + age);
  }
}

TEST_CASE("what rests stays, and what was before its stamp is as it was then") {
  State s = moving(1, 2, 0.5, 0, 0);
  State later = dead_reckoned(s, s.stamp + 100ms, {}, 0.1);
  CHECK(later.pose == s.pose);
  s = moving(1, 2, 0.5, 1, 1);
  later = dead_reckoned(s, s.stamp - 100ms, {}, 0.1);
  CHECK(later.pose == s.pose);
}

TEST_CASE("on a clear way the speed is kept, whatever rounding makes of its length") {
  const StaticMap map = with_wall_at(9.0);
  const State s = moving(2.5, 5, 0.3, 0.2, 0);
  for (int ms = 1; ms <= 250; ++ms) {
    const State later = dead_reckoned(s, s.stamp + std::chrono::milliseconds(ms), map, 0.14);
    CHECK(later.twist == s.twist);
  }
}

TEST_CASE("dead reckoning puts no robot into a wall") {
  const StaticMap map = with_wall_at(3.0);
  State s = moving(2.5, 5, 0, 2, 0);  // would be at 3.0 after 0.25 s
  State later = dead_reckoned(s, s.stamp + 250ms, map, 0.2);
  CHECK(std::abs(later.pose.p.x - 2.8) < 1e-9);
  CHECK(later.twist.v.x == 0);
  s = moving(2.9, 5, 0, 2, 0);  // nearer to it than its radius: it stays
  later = dead_reckoned(s, s.stamp + 250ms, map, 0.2);
  CHECK(later.pose.p.x == 2.9);
  s = moving(2.9, 5, 3.14159265358979, 2, 0);  // away from it
  later = dead_reckoned(s, s.stamp + 100ms, map, 0.2);
  CHECK(std::abs(later.pose.p.x - 2.7) < 1e-9);
}

}  // namespace dead_reckoning_test
