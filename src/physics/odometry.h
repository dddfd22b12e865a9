// Wheel odometry: where a robot believes it is from what its wheels measured, noise and slip included.
//
//   Odometry odometry{.random = {stream_key(seed, number, "encoder")}, .period = 20ms};
//   physics.step(...);
//   if (advance(odometry, model, events, step)) publish(odometry);
//
// The integration is that of the mid-point: half of the turn, the way, the other half.
#pragma once

#include <array>

#include "core/fields.h"
#include "core/random.h"
#include "physics/physics.h"

namespace convoy {

inline constexpr double kUnseen = 1e12;  // variance of an axis that wheels do not see

struct Odometry {
  Random random;
  Duration period{0};  // how often the encoders are read; rounded up to whole steps

  double x = 0, y = 0, yaw = 0;     // pose in the odom frame, m, rad in [-pi, pi)
  double speed = 0, turn_rate = 0;  // twist in the base frame, m/s, rad/s
  // Covariance of the pose, m^2, m rad, rad^2: what the encoders' noise has made of it, carried along the way.
  double xx = 0, xy = 0, yy = 0, x_yaw = 0, y_yaw = 0, yaw_yaw = 0;

  // Since the last reading: rim travels, m, the steering angle's integral, rad s, and the time.
  double left = 0, right = 0, steering = 0;
  Duration since{0};

  friend bool operator==(const Odometry&, const Odometry&) = default;
};
template <class V, MaybeConst<Odometry> T>
void fields(V& v, T& o) {
  v("random", o.random), v("period", o.period), v("x", o.x), v("y", o.y), v("yaw", o.yaw), v("speed", o.speed);
  v("turn_rate", o.turn_rate), v("xx", o.xx), v("xy", o.xy), v("yy", o.yy), v("x_yaw", o.x_yaw), v("y_yaw", o.y_yaw);
  v("yaw_yaw", o.yaw_yaw), v("left", o.left), v("right", o.right), v("steering", o.steering), v("since", o.since);
}

// Adds a step's wheel motion. True when the period was full and pose and twist are new. A reading draws one block
// of the stream, if a driven wheel has turned.
bool advance(Odometry& odometry, const Model& model, const PhysicsEvents& events, Duration step);

// 6x6 covariance, row by row (x, y, z, roll, pitch, yaw), of the pose and of the twist, as ROS arranges it. Axes that
// wheels do not see have kUnseen.
std::array<double, 36> pose_covariance(const Odometry& odometry);
std::array<double, 36> twist_covariance(const Odometry& odometry, const Model& model);

}  // namespace convoy
