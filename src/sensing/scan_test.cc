// Scans of a plane.
#include "sensing/scan.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "core/approx.h"
#include "core/math.h"
#include "core/pose.h"
#include "sensing/angles.h"
#include "sensing/intersect.h"
#include "world/state.h"

namespace scan_test {

using namespace convoy;

namespace {

constexpr float kFar = std::numeric_limits<float>::infinity();

// In the middle of a room of that size, in W.
Scan in_a_room(const ScanModel& model, const Pose& X_WS, const Vec3& half, std::uint64_t sample = 0) {
  const ShapeFrame room(Pose{});
  std::vector<Hit> hits;
  for (const Beam& beam : beams_of(model, X_WS)) {
    Hit hit;
    hit.range = range_of_box(room.line(beam.origin, beam.direction, beam.near), half);
    if (hit.range <= beam.far) hit.shape = 0;
    else hit = {};
    hits.push_back(hit);
  }
  return scan_of(model, hits, Noise(1, WorldNumber(1), "scan", sample));
}

}  // namespace

TEST_CASE("a scan of a room has its walls, by angle from the sensor's x axis, counter-clockwise") {
  ScanModel model;
  model.range_max = 30;
  const Pose X_WS{{1, 0.5, 0.2}, from_yaw(math::kPi / 2)};  // looks along y
  const Scan scan = in_a_room(model, X_WS, {4, 3, 2});
  REQUIRE(scan.ranges.size() == 360);
  CHECK(scan.ranges[0] == approx(2.5));    // ahead: y = 3
  CHECK(scan.ranges[90] == approx(5));     // left: x = -4
  CHECK(scan.ranges[180] == approx(3.5));  // behind
  CHECK(scan.ranges[270] == approx(3));    // right
  CHECK(scan.ranges[45] == approx(2.5 * std::sqrt(2.0)));
}

TEST_CASE("what is too far is +inf, what is too near -inf") {
  ScanModel model;
  model.range_min = 1, model.range_max = 4;
  const Scan scan = in_a_room(model, {{3.5, 0, 0}, {}}, {4, 3, 2});
  CHECK(scan.ranges[0] == -kFar);
  CHECK(scan.ranges[180] == kFar);
  CHECK(scan.ranges[90] == 3);
}

TEST_CASE("beams are as many as slam_toolbox counts them") {
  for (const std::uint32_t beams : {1u, 2u, 90u, 360u, 400u, 683u, 1080u, 1081u, 4000u})
    for (const double field : {kTurn, kTurn * 0.75, math::kPi, 0.5}) {
      ScanModel model;
      model.beams = beams, model.field = field, model.angle_min = -field / 2;
      if (beams == 1) model.field = 0;
      CAPTURE(beams);
      CAPTURE(field);
      REQUIRE(problem_of(model).empty());
      const Scan scan = in_a_room(model, {}, {4, 3, 2});
      CHECK(scan.ranges.size() == beams);
      if (beams == 1) continue;
      const float span = scan.angle_max - scan.angle_min;
      const auto steps = static_cast<std::uint32_t>(std::lround(span / scan.angle_increment));
      const bool around = std::fabs(span - static_cast<float>(kTurn)) < scan.angle_increment * 1.01f;
      CHECK(steps + 1 == beams);
      if (field == kTurn) CHECK(around);  // the last beam is not the first one again
      if (field == kTurn) CHECK(scan.angle_max < scan.angle_min + static_cast<float>(kTurn));
    }
}

TEST_CASE("the noise of ranges has its deviation, and is that of the sample") {
  ScanModel model;
  model.noise = 0.02, model.noise_share = 0.01, model.range_max = 30;
  double sum = 0, squares = 0;
  int count = 0;
  for (std::uint64_t sample = 0; sample < 200; ++sample) {
    const Scan scan = in_a_room(model, {}, {4, 4, 2}, sample);
    const double off = (scan.ranges[0] - 4.0) / 0.06;
    sum += off, squares += off * off, ++count;
    CHECK(scan.ranges != in_a_room(model, {}, {4, 4, 2}, sample + 1).ranges);
    CHECK(scan.ranges == in_a_room(model, {}, {4, 4, 2}, sample).ranges);
  }
  CHECK(std::fabs(sum / count) < 0.2);
  CHECK(squares / count == approx(1).epsilon(0.25));
}

TEST_CASE("a scanner that cannot be is refused with the reason") {
  const auto problem = [](const auto& spoil) {
    ScanModel model;
    spoil(model);
    return problem_of(model);
  };
  CHECK(problem([](ScanModel&) {}).empty());
  CHECK(problem([](ScanModel& m) { m.beams = 0; }) == "a scan has a beam at least");
  CHECK(problem([](ScanModel& m) { m.beams = 100'001; }) == "a scan has 100000 beams at most");
  CHECK(problem([](ScanModel& m) { m.range_min = 5; }) == "range_min is at least 0, and below range_max");
  CHECK(problem([](ScanModel& m) { m.field = 7; }) == "its field is from 0 to a full turn, 2 pi");
  CHECK(problem([](ScanModel& m) { m.field = 0; }) == "several beams need a field");
  CHECK(problem([](ScanModel& m) { m.noise = -1; }) == "its noise is no noise");
  CHECK(problem([](ScanModel& m) { m.angle_min = std::nan(""); }) == "its first angle is within a turn");
}

}  // namespace scan_test
