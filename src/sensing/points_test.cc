// Clouds of several rings.
#include "sensing/points.h"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>

#include "core/approx.h"
#include "core/math.h"
#include "core/pose.h"
#include "sensing/intersect.h"
#include "world/state.h"

namespace points_test {

using namespace convoy;

namespace {

PointsModel model_of(std::uint32_t count, double lowest, double highest, std::uint32_t columns) {
  PointsModel out;
  out.elevations = rings(count, lowest, highest), out.columns = columns;
  return out;
}

// In a hollow ball of 5 m about the world's origin.
Cloud in_a_ball(const PointsModel& model, const Pose& X_WS, std::uint64_t sample = 0) {
  std::vector<Hit> hits;
  for (const Beam& beam : beams_of(model, X_WS)) {
    Hit hit;
    hit.range = range_of_sphere({beam.origin, beam.direction, beam.near}, 5);
    if (hit.range <= beam.far) hit.shape = 0;
    hits.push_back(hit);
  }
  const std::vector<float> bright(hits.size(), 7);
  return cloud_of(model, hits, bright, Noise(1, WorldNumber(1), "points", sample));
}

}  // namespace

TEST_CASE("points are where the beams met something, in the sensor's frame, wherever it is") {
  const PointsModel model = model_of(16, -0.26, 0.26, 360);
  const Pose X_WS{{1, 2, 0.5}, unit({1, 0.2, -0.1, 0.7})};
  const Cloud cloud = in_a_ball(model, X_WS);
  REQUIRE(cloud.points.size() == 16 * 360);
  CHECK(cloud.width == 16 * 360);
  CHECK(cloud.height == 1);
  CHECK(cloud.dense);
  for (const CloudPoint& p : cloud.points) {
    REQUIRE(norm((X_WS * Pose{{p.x, p.y, p.z}, {}}).p) == approx(5).epsilon(1e-6));
    const double elevation = std::atan2(p.z, std::hypot(p.x, p.y));
    REQUIRE(elevation == approx(model.elevations[p.ring]).epsilon(1e-4));
    REQUIRE(p.intensity == 7);
  }
  CHECK(cloud.points[0].ring == 0);
  CHECK(cloud.points[15].ring == 15);
  CHECK(cloud.points[0].x < 0);                                            // the first column looks back, azimuth -pi
  CHECK(std::atan2(cloud.points[16].y, cloud.points[16].x) > -math::kPi);  // the next one is to its left
}

TEST_CASE("what is not met is left out, or NaN in a cloud of rows; columns have their times") {
  PointsModel model = model_of(4, -0.3, 0.3, 100);
  model.range_max = 4, model.sweep = std::chrono::milliseconds(100);
  const Pose X_WS{{3, 0, 0}, {}};
  const Cloud some = in_a_ball(model, X_WS);
  CHECK(some.points.size() > 50);
  CHECK(some.points.size() < 350);
  CHECK(some.dense);
  model.organized = true;
  const Cloud rows = in_a_ball(model, X_WS);
  REQUIRE(rows.points.size() == 400);
  CHECK(rows.width == 100);
  CHECK(rows.height == 4);
  CHECK_FALSE(rows.dense);
  std::size_t met = 0;
  for (std::size_t i = 0; i < rows.points.size(); ++i) {
    const CloudPoint& p = rows.points[i];
    CHECK(p.ring == i / 100);
    CHECK(p.time == about(static_cast<double>(i % 100) * 1e-3, 1e-8));
    if (std::isnan(p.x)) CHECK(std::bit_cast<std::uint32_t>(p.x) == 0x7fc00000u);
    else ++met;
  }
  CHECK(met == some.points.size());
}

TEST_CASE("noise is along the beam") {
  PointsModel model = model_of(1, 0, 0, 2000);
  model.noise = 0.03;
  double squares = 0;
  const Cloud cloud = in_a_ball(model, {});
  for (const CloudPoint& p : cloud.points) {
    const double off = std::hypot(p.x, p.y) - 5;
    squares += off * off / 2000;
    CHECK(std::fabs(p.z) < 1e-6);
  }
  CHECK(squares == approx(9e-4).epsilon(0.1));
  const Cloud other = in_a_ball(model, {}, 1);
  CHECK(other.points[0].x != cloud.points[0].x);
}

TEST_CASE("a scanner of rings that cannot be is refused with the reason") {
  const auto problem = [](const auto& spoil) {
    PointsModel model = model_of(16, -0.26, 0.26, 1800);
    spoil(model);
    return problem_of(model);
  };
  CHECK(problem([](PointsModel&) {}).empty());
  CHECK(problem([](PointsModel& m) { m.elevations.clear(); }) == "a cloud has a ring at least");
  CHECK(problem([](PointsModel& m) { m.columns = 0; }) == "a cloud has a column at least");
  CHECK(problem([](PointsModel& m) { m.columns = 1'000'000; }) == "a cloud has 4000000 points at most");
  CHECK(problem([](PointsModel& m) { m.elevations[0] = 2; }) == "a ring is between straight down and straight up");
  CHECK(problem([](PointsModel& m) { m.elevations[0] = 0.3; }) == "rings are named from the lowest up");
  CHECK(problem([](PointsModel& m) { m.range_max = 0.1; }) == "range_min is at least 0, and below range_max");
  CHECK(problem([](PointsModel& m) { m.sweep = Duration(-1); }) == "a sweep takes no time, or up to 10 s");
}

}  // namespace points_test
