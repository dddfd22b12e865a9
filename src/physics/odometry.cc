#include "physics/odometry.h"

#include "core/math.h"

namespace convoy {
namespace {

constexpr double kLeastVariance = 1e-9;  // filters do not like 0; m^2, rad^2, (m/s)^2, (rad/s)^2

// What the encoders show of the travels of both rims.
void measure(Random& random, double noise, double& left, double& right) {
  if (noise == 0 || (left == 0 && right == 0)) return;
  const NormalPair errors = random.normals();
  left *= 1 + noise * errors.first, right *= 1 + noise * errors.second;
}

struct Motion {
  double distance = 0, turn = 0;                    // m, rad
  double variance_distance = 0, variance_turn = 0;  // m^2, rad^2
};

Motion read_wheels(Odometry& o, const Model& model, double elapsed) {
  const double noise = model.encoder_noise, variance = noise * noise;
  if (model.drive == Drive::kDifferential) {
    double left = o.left, right = o.right;
    measure(o.random, noise, left, right);
    const double squares = variance * (left * left + right * right);
    const double h = model.half_separation;
    return {(left + right) / 2, (right - left) / (2 * h), squares / 4, squares / (4 * h * h)};
  }
  if (model.drive == Drive::kNone) return {};
  // One driven wheel, and the mean steering angle, whose own encoder is taken as exact.
  double s, c;
  math::sincos(elapsed > 0 ? o.steering / elapsed : 0, s, c);
  double distance = o.left, unused = 0;
  measure(o.random, noise, distance, unused);
  const double curvature = s / (c * model.wheelbase);
  if (model.drive == Drive::kTricycle) distance *= c;
  const double squares = variance * distance * distance;
  return {distance, distance * curvature, squares, squares * curvature * curvature};
}

// P := F P F^T + G Q G^T, linearised at the mid-point's heading: a wrong heading carries every later way astray.
void spread(Odometry& o, const Motion& m, double s, double c) {
  const double dx = m.distance * c, dy = m.distance * s, vd = m.variance_distance, vt = m.variance_turn;
  o.xx += -2 * dy * o.x_yaw + dy * dy * o.yaw_yaw + c * c * vd + dy * dy / 4 * vt;
  o.yy += 2 * dx * o.y_yaw + dx * dx * o.yaw_yaw + s * s * vd + dx * dx / 4 * vt;
  o.xy += dx * o.x_yaw - dy * o.y_yaw - dx * dy * o.yaw_yaw + s * c * vd - dx * dy / 4 * vt;
  o.x_yaw += -dy * o.yaw_yaw - dy / 2 * vt;
  o.y_yaw += dx * o.yaw_yaw + dx / 2 * vt;
  o.yaw_yaw += vt;
}

std::array<double, 36> unseen() {
  std::array<double, 36> m{};
  m[14] = m[21] = m[28] = kUnseen;
  return m;
}

}  // namespace

bool advance(Odometry& o, const Model& model, const PhysicsEvents& events, Duration step) {
  const double dt = seconds(step);
  o.left += events.wheel_left * dt;
  o.right += events.wheel_right * dt;
  o.steering += events.steering * dt;
  o.since += step;
  if (o.since < o.period) return false;

  const double elapsed = seconds(o.since);
  const Motion m = read_wheels(o, model, elapsed);
  if (m.distance != 0 || m.turn != 0) {
    double s, c;
    math::sincos(o.yaw + m.turn / 2, s, c);
    spread(o, m, s, c);
    o.x += m.distance * c;
    o.y += m.distance * s;
    o.yaw = math::wrap_angle(o.yaw + m.turn);
  }
  o.speed = elapsed > 0 ? m.distance / elapsed : 0;
  o.turn_rate = elapsed > 0 ? m.turn / elapsed : 0;
  o.left = o.right = o.steering = 0;
  o.since = Duration(0);
  return true;
}

std::array<double, 36> pose_covariance(const Odometry& o) {
  std::array<double, 36> m = unseen();
  m[0] = kLeastVariance + o.xx, m[7] = kLeastVariance + o.yy, m[35] = kLeastVariance + o.yaw_yaw;
  m[1] = m[6] = o.xy, m[5] = m[30] = o.x_yaw, m[11] = m[31] = o.y_yaw;
  return m;
}

std::array<double, 36> twist_covariance(const Odometry& o, const Model& model) {
  const double speed = model.encoder_noise * o.speed, turn = model.encoder_noise * o.turn_rate;
  std::array<double, 36> m = unseen();
  m[0] = kLeastVariance + speed * speed, m[7] = kLeastVariance, m[35] = kLeastVariance + turn * turn;
  return m;
}

}  // namespace convoy
