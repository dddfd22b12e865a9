#include "sensing/sweep.h"

#include <doctest/doctest.h>

#include <cmath>

#include "core/approx.h"
#include "core/math.h"
#include "core/pose.h"
#include "sensing/points.h"
#include "sensing/scan.h"
#include "sensing/sensor.h"
#include "world/state.h"

namespace sweep_test {

using namespace convoy;
using namespace std::chrono_literals;

namespace {

// A wall at x = 10 m, met by whatever looks its way.
struct Wall final : RayField {
  void cast(std::span<const Beam> beams, WorldNumber, std::span<Hit> hits) const override {
    for (std::size_t i = 0; i < beams.size(); ++i)
      if (beams[i].direction.x > 1e-3)
        hits[i].range = (10 - beams[i].origin.x) / beams[i].direction.x, hits[i].shape = 0;
  }
  Vec3 normal(const Beam&, const Hit&) const override { return {-1, 0, 0}; }
  double brightness(const Hit&) const override { return 0.5; }
};

SampleData taken(const char* type, Bytes parameters, const SensorView& view) {
  SensorSpec spec;
  spec.type = type, spec.parameters = std::move(parameters);
  const auto sensor = make_sensor(spec);
  REQUIRE_MESSAGE(sensor, sensor.error().message());
  return (*sensor)->sample(view);
}

}  // namespace

TEST_CASE("a frame that turns and moves is taken back to where it was") {
  const Pose X{{3, 1, 0.5}, from_yaw(1.0)};
  const Twist v{{2, -1, 0}, {0, 0, 0.5}};

  const Pose then = moved_back(X, v, 0.4);

  CHECK(norm(then.p - Vec3{2.2, 1.4, 0.5}) < 1e-12);
  CHECK(yaw_of(then.q) == approx(0.8));
  CHECK(moved_back(X, {}, 0.4) == X);
}

TEST_CASE("a scanner that drives at a wall is farther from it at the first beam than at the last") {
  const Wall wall;
  const SensorView view{.X_WS = {}, .v_WS_W = {{2, 0, 0}, {}}, .field = &wall};
  const ScanModel still{.beams = 11, .angle_min = -0.5, .field = 1, .range_max = 50};
  ScanModel swept = still;
  swept.sweep = 110ms;

  const Scan at_once = std::get<Scan>(taken("scan", save(still), view));
  const Scan dut = std::get<Scan>(taken("scan", save(swept), view));

  CHECK(at_once.time_increment == 0);
  CHECK(dut.time_increment == approx(0.01).epsilon(1e-6));
  for (std::size_t i = 0; i < 11; ++i) {
    const double ago = 0.01 * static_cast<double>(11 - i), slant = std::cos(-0.5 + 0.1 * static_cast<double>(i));
    CHECK(at_once.ranges[i] == approx(10 / slant).epsilon(1e-6));
    CHECK(dut.ranges[i] == approx((10 + 2 * ago) / slant).epsilon(1e-6));
  }
}

TEST_CASE("one that turns on the spot sees a wall turned, ring by ring alike, and each column at its time") {
  const Wall wall;
  const SensorView view{.X_WS = {}, .v_WS_W = {{}, {0, 0, 1}}, .field = &wall};
  PointsModel model{.elevations = {-0.1, 0, 0.1}, .columns = 5, .azimuth_min = -0.2, .field = 0.4, .range_max = 50};
  model.sweep = 500ms, model.organized = true;

  const Cloud dut = std::get<Cloud>(taken("points", save(model), view));

  REQUIRE(dut.points.size() == 15);
  for (std::uint32_t column = 0; column < 5; ++column) {
    const double azimuth = -0.2 + 0.1 * column, ago = 0.1 * (5 - column);
    for (std::uint32_t ring = 0; ring < 3; ++ring) {
      const CloudPoint& p = dut.points[ring * 5 + column];
      const double elevation = model.elevations[ring];
      const double range = 10 / (std::cos(elevation) * std::cos(azimuth - ago));
      CHECK(p.x == approx(range * std::cos(elevation) * std::cos(azimuth)).epsilon(1e-5));
      CHECK(p.time == about(0.1 * column, 1e-6));
    }
  }
}

TEST_CASE("a sweep is no less than nothing, and no longer than 10 s") {
  CHECK(problem_of(ScanModel{.sweep = Duration(-1)}) == "a sweep takes no time, or up to 10 s");
  CHECK(problem_of(ScanModel{.sweep = 11s}) == "a sweep takes no time, or up to 10 s");
  CHECK(problem_of(ScanModel{.sweep = 1s}) == "");
}

TEST_CASE("what comes back is told on request: brightness times cosine, and nothing of what is too far") {
  const Wall wall;
  const SensorView view{.X_WS = {}, .field = &wall};
  ScanModel model{.beams = 3, .angle_min = 0, .field = 2, .range_max = 15};

  CHECK(std::get<Scan>(taken("scan", save(model), view)).intensities.empty());
  model.intensities = true;
  const Scan dut = std::get<Scan>(taken("scan", save(model), view));

  REQUIRE(dut.intensities.size() == 3);
  CHECK(dut.intensities[0] == 0.5f);
  CHECK(dut.intensities[1] == 0);  // 10 m / cos(1) is beyond its range
  CHECK(dut.intensities[2] == 0);  // looks away
  model.field = 1;
  CHECK(std::get<Scan>(taken("scan", save(model), view)).intensities[1] == approx(0.5 * std::cos(0.5)).epsilon(1e-6));
}

}  // namespace sweep_test
