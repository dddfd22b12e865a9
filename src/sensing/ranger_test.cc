// Range finders and radars.
#include "sensing/ranger.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "core/approx.h"
#include "core/pose.h"
#include "sensing/intersect.h"
#include "sensing/radar.h"
#include "world/state.h"

namespace ranger_test {

using namespace convoy;

namespace {

constexpr double kFar = std::numeric_limits<double>::infinity();

// A ball of 0.5 m.
Hit at_ball(const Beam& beam, const Vec3& where, std::uint32_t number) {
  Hit hit;
  const double range = range_of_sphere({beam.origin - where, beam.direction, beam.near}, 0.5);
  if (range <= beam.far) hit.range = range, hit.number = WorldNumber(number), hit.shape = 0;
  return hit;
}

double ranged(const RangerModel& model, const Vec3& ball) {
  std::vector<Hit> hits;
  for (const Beam& beam : beams_of(model, {})) hits.push_back(at_ball(beam, ball, 1));
  return range_of(model, hits, Noise(1, WorldNumber(1), "range", 0));
}

// A wall at x = 20, and balls that move.
std::vector<RadarReturn> seen(const RadarModel& model, const std::vector<std::pair<Vec3, Vec3>>& balls,
                              const Vec3& v_S = {}, std::uint64_t sample = 0) {
  const Pose X_WS{{0, 0, 1}, {}};
  std::vector<Reflection> met;
  for (const Beam& beam : beams_of(model, X_WS)) {
    Reflection one;
    const double wall = (20 - beam.origin.x) / beam.direction.x;
    if (wall > 0 && wall <= beam.far) one.hit.range = wall, one.hit.shape = 0, one.cosine = beam.direction.x;
    for (std::size_t i = 0; i < balls.size(); ++i)
      if (const Hit hit = at_ball(beam, balls[i].first, static_cast<std::uint32_t>(i + 1)); hit.range < one.hit.range)
        one = {hit, balls[i].second, 1};
    met.push_back(one);
  }
  return returns_of(model, met, X_WS, v_S, Noise(1, WorldNumber(9), "radar", sample));
}

}  // namespace

TEST_CASE("a range finder has the nearest within its cone, +inf without one, -inf for what is too near") {
  RangerModel model;
  model.beams = 500, model.field = 0.5, model.range_min = 0.2;
  CHECK(ranged(model, {3, 0, 0}) == 2.5);
  CHECK(ranged(model, {3, 0.6, 0}) == approx(norm({3, 0.6, 0}) - 0.5).epsilon(0.002));
  CHECK(ranged(model, {2, 3, 0}) == kFar);   // beside the cone
  CHECK(ranged(model, {5, 0, 0}) == kFar);   // too far
  CHECK(ranged(model, {-3, 0, 0}) == kFar);  // behind
  CHECK(ranged(model, {0.6, 0, 0}) == -kFar);
}

TEST_CASE("its beams fill the cone evenly") {
  RangerModel model;
  model.beams = 4000, model.field = 0.4;
  const std::vector<Beam> beams = beams_of(model, {});
  int inner = 0;
  for (const Beam& beam : beams) {
    const double off = std::acos(std::min(1.0, beam.direction.x));
    REQUIRE(off <= 0.2 + 1e-9);
    REQUIRE(norm(beam.direction) == approx(1).epsilon(1e-12));
    inner += off < 0.1;
  }
  CHECK(inner == approx(1000).epsilon(0.02));  // a quarter of its area
  CHECK(beams[0].direction == Vec3{1, 0, 0});
}

TEST_CASE("a radar has each mover once, with its range, bearing and speed along the line of sight") {
  RadarModel model;
  model.columns = 241, model.rows = 21;
  const Vec3 right{8, -2, 1}, ahead{12, 0, 1};
  const std::vector<RadarReturn> returns = seen(model, {{right, {0, 3, 0}}, {ahead, {-5, 0, 0}}});
  REQUIRE(returns.size() == 2 + 241);  // the scene, one a column, and then the movers by number
  const RadarReturn &one = returns[241], &two = returns[242];
  CHECK(one.range == approx(norm({8, 2, 0}) - 0.5).epsilon(1e-3));
  CHECK(one.azimuth == approx(std::atan2(-2.0, 8.0)).epsilon(0.02));
  CHECK(one.speed == approx(3 * std::sin(std::atan2(-2.0, 8.0))).epsilon(0.03));
  CHECK(two.range == approx(11.5).epsilon(1e-4));
  CHECK(std::fabs(two.azimuth) < 0.01);
  CHECK(two.speed == approx(-5).epsilon(1e-3));
  CHECK(two.amplitude == approx(1 / std::pow(11.5, 4)).epsilon(1e-3));
  for (std::size_t i = 0; i < 241; ++i) CHECK(returns[i].speed == 0);
}

TEST_CASE("a radar that moves sees what stands come nearer") {
  RadarModel model;
  model.columns = 1, model.rows = 1;
  const std::vector<RadarReturn> returns = seen(model, {}, {2, 0, 0});
  REQUIRE(returns.size() == 1);
  CHECK(returns[0].range == 20);
  CHECK(returns[0].speed == -2);
}

TEST_CASE("a radar's noise has its deviations") {
  RadarModel model;
  model.columns = model.rows = 1, model.range_noise = 0.1, model.speed_noise = 0.2, model.angle_noise = 0.01;
  double range = 0, speed = 0, angle = 0;
  constexpr int kCount = 3000;
  for (std::uint64_t i = 0; i < kCount; ++i) {
    const RadarReturn one = seen(model, {}, {}, i)[0];
    range += (one.range - 20) * (one.range - 20) / kCount, speed += one.speed * one.speed / kCount;
    angle += one.azimuth * one.azimuth / kCount;
  }
  CHECK(range == approx(0.01).epsilon(0.1));
  CHECK(speed == approx(0.04).epsilon(0.1));
  CHECK(angle == approx(1e-4).epsilon(0.1));
}

TEST_CASE("range finders and radars that cannot be are refused with the reason") {
  RangerModel ranger;
  CHECK(problem_of(ranger).empty());
  ranger.beams = 0;
  CHECK(problem_of(ranger) == "a range finder has a beam at least");
  ranger.beams = 1, ranger.field = 4;
  CHECK(problem_of(ranger) == "its cone is from 0 to below pi");
  ranger.field = 0.1, ranger.range_min = 5;
  CHECK(problem_of(ranger) == "range_min is at least 0, and below range_max");
  RadarModel radar;
  CHECK(problem_of(radar).empty());
  radar.rows = 0;
  CHECK(problem_of(radar) == "a radar has a column and a row of beams at least");
  radar.rows = 1'000'000;
  CHECK(problem_of(radar) == "a radar has 1000000 beams at most");
  radar.rows = 1, radar.speed_noise = -1;
  CHECK(problem_of(radar) == "its noise is no noise");
}

}  // namespace ranger_test
