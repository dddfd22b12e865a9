#include "sensing/inertial.h"

#include <string>

#include "core/pose.h"
#include "sensing/limits.h"

namespace convoy {

namespace {

Vec3 drawn(Noise& noise, double deviation) {
  if (deviation <= 0) return {};
  const double x = noise.normal(), y = noise.normal(), z = noise.normal();
  return deviation * Vec3{x, y, z};
}

Vec3 bias(const SampleKey& key, const char* what, double step) {
  if (step <= 0) return {};
  const std::string name = std::string(key.sensor) + "/" + what;
  return step * Vec3{walk(key.seed, key.robot, name + "/x", key.index),
                     walk(key.seed, key.robot, name + "/y", key.index),
                     walk(key.seed, key.robot, name + "/z", key.index)};
}

}  // namespace

std::string problem_of(const ImuModel& m) {
  for (const double noise :
       {m.gyro_noise, m.gyro_walk, m.accelerometer_noise, m.accelerometer_walk, m.orientation_noise})
    if (!is_deviation(noise)) return "its noise is no noise";
  return {};
}

std::string problem_of(const MagneticModel& m) { return is_deviation(m.noise) ? "" : "its noise is no noise"; }

ImuSample imu_of(const ImuModel& m, const Motion& motion, const Vec3& gravity, const SampleKey& key) {
  Noise noise(key.seed, key.robot, key.sensor, key.index);
  const Quat q_SW = motion.q_WS.conjugate();
  ImuSample out;
  const Vec3 turn = drawn(noise, m.orientation_noise);
  out.orientation = unit(motion.q_WS * Quat{1, turn.x / 2, turn.y / 2, turn.z / 2});
  out.angular_velocity = rotate(q_SW, motion.w_WS_W) + bias(key, "gyro", m.gyro_walk) + drawn(noise, m.gyro_noise);
  out.linear_acceleration = rotate(q_SW, motion.a_WS_W - gravity) + bias(key, "accelerometer", m.accelerometer_walk) +
                            drawn(noise, m.accelerometer_noise);
  out.orientation_variance = m.orientation_noise * m.orientation_noise;
  out.angular_velocity_variance = m.gyro_noise * m.gyro_noise;
  out.linear_acceleration_variance = m.accelerometer_noise * m.accelerometer_noise;
  return out;
}

Vec3 magnetic_field_of(const Vec3& field, const Quat& q_WS, double deviation, const SampleKey& key) {
  Noise noise(key.seed, key.robot, key.sensor, key.index);
  return rotate(q_WS.conjugate(), field) + drawn(noise, deviation);
}

}  // namespace convoy
