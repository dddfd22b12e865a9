// What a strapped-down unit feels.
#include "sensing/inertial.h"

#include <doctest/doctest.h>

#include <cmath>

#include "core/approx.h"
#include "core/pose.h"
#include "world/state.h"

namespace inertial_test {

using namespace convoy;

namespace {

constexpr Vec3 kGravity{0, 0, -9.81};
SampleKey sample(std::uint64_t index, std::uint32_t robot = 1) { return {1, WorldNumber(robot), "imu", index}; }
Quat rolled(double angle) { return {std::cos(angle / 2), std::sin(angle / 2), 0, 0}; }

}  // namespace

TEST_CASE("at rest it feels what holds it up, in its own axes; in free fall nothing") {
  const ImuSample level = imu_of({}, {}, kGravity, sample(0));
  CHECK(level.linear_acceleration == Vec3{0, 0, 9.81});
  CHECK(level.angular_velocity == Vec3{});
  CHECK(level.linear_acceleration_variance == 0);
  const ImuSample on_its_side = imu_of({}, {rolled(3.14159265358979 / 2), {}, {}}, kGravity, sample(0));
  CHECK(norm(on_its_side.linear_acceleration - Vec3{0, 9.81, 0}) < 1e-12);
  CHECK(norm(imu_of({}, {{}, {}, kGravity}, kGravity, sample(0)).linear_acceleration) == 0);
}

TEST_CASE("turning and speeding up are felt in the sensor's axes") {
  const Motion motion{from_yaw(3.14159265358979 / 2), {0, 0, 2}, {0, 3, 0}};  // it looks along y, and speeds up there
  const ImuSample felt = imu_of({}, motion, kGravity, sample(0));
  CHECK(norm(felt.linear_acceleration - Vec3{3, 0, 9.81}) < 1e-12);
  CHECK(norm(felt.angular_velocity - Vec3{0, 0, 2}) < 1e-12);
}

TEST_CASE("white noise has its deviation on each axis, and a bias the variance of a walk") {
  const ImuModel model{0.02, 0, 0.1, 0, 0};
  Vec3 gyro, force;
  constexpr int kCount = 5000;
  for (std::uint64_t i = 0; i < kCount; ++i) {
    const ImuSample s = imu_of(model, {}, {}, sample(i));
    const Vec3 &w = s.angular_velocity, &a = s.linear_acceleration;
    gyro = gyro + (1.0 / kCount) * Vec3{w.x * w.x, w.y * w.y, w.z * w.z};
    force = force + (1.0 / kCount) * Vec3{a.x * a.x, a.y * a.y, a.z * a.z};
    CHECK(s.angular_velocity_variance == 0.02 * 0.02);
  }
  for (const double v : {gyro.x, gyro.y, gyro.z}) CHECK(v == approx(4e-4).epsilon(0.08));
  for (const double v : {force.x, force.y, force.z}) CHECK(v == approx(0.01).epsilon(0.08));

  ImuModel walks;
  walks.gyro_walk = 1e-3;
  double squares = 0;
  for (std::uint32_t robot = 1; robot <= kCount; ++robot) {
    const double x = imu_of(walks, {}, {}, sample(400, robot)).angular_velocity.x;
    squares += x * x / kCount;
  }
  CHECK(squares == approx(400 * 1e-6).epsilon(0.08));
  const Vec3 one = imu_of(walks, {}, {}, sample(400)).angular_velocity,
             next = imu_of(walks, {}, {}, sample(401)).angular_velocity;
  CHECK(norm(next - one) < 0.006);  // it goes on from there
  CHECK(norm(one) > 0);
  CHECK(imu_of(walks, {}, {}, sample(0)).angular_velocity == Vec3{});
}

TEST_CASE("an orientation's noise turns it about its own axes, and leaves its length") {
  ImuModel model;
  model.orientation_noise = 0.01;
  double squares = 0;
  for (std::uint64_t i = 0; i < 3000; ++i) {
    const Quat q = imu_of(model, {rolled(1), {}, {}}, {}, sample(i)).orientation, off = rolled(1).conjugate() * q;
    CHECK(length(q) == approx(1).epsilon(1e-14));
    squares += 4 * off.z * off.z / 3000;
  }
  CHECK(squares == approx(1e-4).epsilon(0.1));
}

TEST_CASE("a magnetometer has the world's field in its axes") {
  const Vec3 field{0, 21e-6, -43e-6};
  CHECK(norm(magnetic_field_of(field, from_yaw(3.14159265358979 / 2), 0, sample(0)) - Vec3{21e-6, 0, -43e-6}) < 1e-18);
  double squares = 0;
  for (std::uint64_t i = 0; i < 3000; ++i) {
    const double off = magnetic_field_of(field, {}, 1e-6, sample(i)).x;
    squares += off * off / 3000;
  }
  CHECK(squares == approx(1e-12).epsilon(0.1));
}

}  // namespace inertial_test
