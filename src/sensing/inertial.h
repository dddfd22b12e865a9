// What a strapped-down unit feels: turning, specific force, and the magnetic field; in its own frame S.
//
// At rest the accelerometer reads +9.81 upwards: it feels what holds it up, not gravity (REP-145). Each axis has white
// noise and a bias that walks; a bias is known at any sample without those before it (noise.h).
#pragma once

#include <array>
#include <string>

#include "convoy/geometry.h"
#include "core/fields.h"
#include "sensing/noise.h"

namespace convoy {

struct ImuModel {
  double gyro_noise = 0;           // rad/s; standard deviation of a sample
  double gyro_walk = 0;            // rad/s; of the bias' step from one sample to the next
  double accelerometer_noise = 0;  // m/s^2
  double accelerometer_walk = 0;   // m/s^2
  double orientation_noise = 0;    // rad; of a turn about each axis
  friend bool operator==(const ImuModel&, const ImuModel&) = default;
};
template <class V, MaybeConst<ImuModel> T>
void fields(V& v, T& m) {
  v("gyro_noise", m.gyro_noise), v("gyro_walk", m.gyro_walk), v("accelerometer_noise", m.accelerometer_noise);
  v("accelerometer_walk", m.accelerometer_walk), v("orientation_noise", m.orientation_noise);
}

struct MagneticModel {
  double noise = 0;  // T; standard deviation of each axis
  friend bool operator==(const MagneticModel&, const MagneticModel&) = default;
};
template <class V, MaybeConst<MagneticModel> T>
void fields(V& v, T& m) {
  v("noise", m.noise);
}

// Empty, or what is wrong with it.
std::string problem_of(const ImuModel& model);
std::string problem_of(const MagneticModel& model);

// How the sensor's origin moves, in W.
struct Motion {
  Quat q_WS;
  Vec3 w_WS_W;  // rad/s
  Vec3 a_WS_W;  // m/s^2
};

// Which sample of which sensor.
struct SampleKey {
  std::uint64_t seed = 1;
  WorldNumber robot = kNoEntity;
  std::string_view sensor;  // its name
  std::uint64_t index = 0;
};

struct ImuSample {
  Quat orientation;          // q_WS
  Vec3 angular_velocity;     // in S, rad/s
  Vec3 linear_acceleration;  // specific force in S, m/s^2
  // Of one axis, each of the three; those of the orientation are of small turns. 0: exact.
  double orientation_variance = 0, angular_velocity_variance = 0, linear_acceleration_variance = 0;
};
ImuSample imu_of(const ImuModel& model, const Motion& motion, const Vec3& gravity_W, const SampleKey& key);

// T, in S, of a field in W.
Vec3 magnetic_field_of(const Vec3& field_W, const Quat& q_WS, double noise, const SampleKey& key);

}  // namespace convoy
