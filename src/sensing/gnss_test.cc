// Places on the Earth.
#include "sensing/gnss.h"

#include <doctest/doctest.h>

#include <cmath>

#include "core/approx.h"
#include "core/pose.h"
#include "core/random.h"

namespace gnss_test {

using namespace convoy;

TEST_CASE("known places: a degree of latitude and of longitude, at the equator, in Zurich and near a pole") {
  // Lengths of a degree on WGS 84, m: meridian 110574.276 at 0 to 1 degree, parallel 111319.491 at the equator.
  const Geodetic equator{0, 0, 0};
  CHECK(norm(place_of(equator, {0, 1e-3, 0})) == approx(111.319491).epsilon(1e-8));
  CHECK(norm(place_of(equator, {1e-3, 0, 0})) == approx(110.574276).epsilon(1e-7));
  const Geodetic zurich{47.3769, 8.5417, 408};
  const Vec3 north = place_of(zurich, {47.3779, 8.5417, 408});
  CHECK(north.y == approx(111.1835).epsilon(1e-4));  // (M + h) pi / 180 / 1000
  CHECK(std::fabs(north.x) < 1e-9);
  const Vec3 up = place_of(zurich, {47.3769, 8.5417, 508});
  CHECK(norm(up - Vec3{0, 0, 100}) < 1e-8);
  const Geodetic polar = geodetic_of({89.9999, 30, 0}, {0, 50, 0});  // over the pole, and on its other side
  CHECK(polar.latitude < 90);
  CHECK(std::fabs(std::fabs(polar.longitude - 30) - 180) < 1e-6);
}

TEST_CASE("there and back is a micrometre, within 100 km, everywhere") {
  Random random{11};
  for (int i = 0; i < 20'000; ++i) {
    const Geodetic origin{random.uniform(-90, 90), random.uniform(-180, 180), random.uniform(-400, 4000)};
    const Vec3 p{random.uniform(-1e5, 1e5), random.uniform(-1e5, 1e5), random.uniform(-2e4, 2e4)};
    const Geodetic at = geodetic_of(origin, p);
    REQUIRE(norm(place_of(origin, at) - p) < 1e-6);
    REQUIRE(std::fabs(at.latitude) <= 90);
    REQUIRE(at.longitude >= -180);
    REQUIRE(at.longitude < 180);
  }
}

TEST_CASE("the date line is crossed") {
  const Geodetic at = geodetic_of({0, 179.9999, 0}, {100, 0, 0});
  CHECK(at.longitude < -179.99);
}

TEST_CASE("a fix has the noise that its covariance says") {
  const Geodetic origin{47.3769, 8.5417, 408};
  const GnssModel model{1.5, 3};
  double east = 0, up = 0;
  constexpr int kCount = 4000;
  for (std::uint64_t i = 0; i < kCount; ++i) {
    const Fix fix = fix_of(model, origin, {10, 20, 30}, Noise(1, WorldNumber(1), "fix", i));
    CHECK(fix.covariance[0] == 2.25);
    CHECK(fix.covariance[4] == 2.25);
    CHECK(fix.covariance[8] == 9);
    const Vec3 off = place_of(origin, fix.at) - Vec3{10, 20, 30};
    east += off.x * off.x / kCount, up += off.z * off.z / kCount;
  }
  CHECK(east == approx(2.25).epsilon(0.08));
  CHECK(up == approx(9).epsilon(0.08));
  const Fix exact = fix_of({}, origin, {}, Noise(1, WorldNumber(1), "fix", 0));
  CHECK(std::fabs(exact.at.latitude - origin.latitude) < 1e-12);
  CHECK(std::fabs(exact.at.altitude - origin.altitude) < 1e-8);
}

TEST_CASE("an origin that is on no Earth is refused") {
  CHECK(problem_of(Geodetic{47, 8, 400}).empty());
  CHECK(problem_of(Geodetic{91, 8, 400}) == "a latitude is from -90 to 90 degrees");
  CHECK(problem_of(Geodetic{47, 181, 400}) == "a longitude is from -180 to 180 degrees");
  CHECK(problem_of(Geodetic{47, 8, std::nan("")}) == "an altitude is within 100000 m");
}

}  // namespace gnss_test
