// A wagon whose engine is split as Chrono's vehicles are: a chassis, and wheels that hang on it. In each step the wheels are
// told where the chassis is (synchronize) and answer with the force that ground and spring give them; then both go on by the
// step (advance). It heaves, pitches and rolls on its springs; each tyre holds as much as the weight on it lets it.
#pragma once

#include <convoy/robot.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

namespace convoy_example {

using namespace convoy;

// A body fixed frame that is turned by yaw, then pitch, then roll.
inline Quat turned(double yaw, double pitch, double roll) {
  const auto about = [](double angle, double x, double y, double z) {
    const double s = std::sin(angle / 2);
    return Quat{std::cos(angle / 2), s * x, s * y, s * z};
  };
  return about(yaw, 0, 0, 1) * about(pitch, 0, 1, 0) * about(roll, 1, 0, 0);
}

struct Terrain {
  double grip = 0.9;
};

// What a wheel is told of its hub: how fast it goes over the ground along and across the wheel, and how far it has sunk.
struct Hub {
  double along = 0, across = 0;  // m/s
  double sunk = 0, sinking = 0;  // m, m/s; from where the spring is without load
};

class Wheel {
 public:
  // In the wheel's own directions; `load` holds up the chassis.
  struct Force {
    double along = 0, across = 0, load = 0;  // N
  };

  void synchronize(const Hub& hub, const Terrain& terrain, double torque) {
    force_.load = std::max(0.0, kSpring * hub.sunk + kDamper * hub.sinking);
    const double most = terrain.grip * force_.load, slow = std::max(std::abs(hub.along), 1.0);
    const double slip = (kRadius * rate_ - hub.along) / slow, drift = hub.across / slow;
    const double pull = std::hypot(slip, drift), held = most * std::tanh(kStiffness * pull);
    force_.along = pull > 0 ? held * slip / pull : 0;
    force_.across = pull > 0 ? -held * drift / pull : 0;
    torque_ = torque;
  }
  void advance(double dt) {
    rate_ += dt * (torque_ - kRadius * force_.along) / kInertia;
    angle_ += dt * rate_;
  }
  const Force& force() const { return force_; }
  double angle() const { return angle_; }
  double rate() const { return rate_; }
  void stop(double angle) { angle_ = angle, rate_ = 0, force_ = {}; }
  void memory(robot::Memory& m) { m(angle_), m(rate_); }

  static constexpr double kRadius = 0.15, kInertia = 0.1;                   // m, kg m^2
  static constexpr double kSpring = 12'000, kDamper = 900, kStiffness = 8;  // N/m, N s/m, 1

 private:
  double angle_ = 0, rate_ = 0, torque_ = 0;
  Force force_;
};

class Wagon final : public robot::Robot {
 public:
  Wagon(Parameters& p, const robot::Model& model)
      : terrain_{p.number("grip", 0.9, 0.05, 3)},
        drive_(p.number("torque", 30, 1, 1000)),
        steering_rate_(model.max_steering_rate),
        max_steering_(model.max_steering),
        max_speed_(model.max_speed),
        base_(model.wheelbase) {
    if (model.joints.size() != kJoints.size()) p.refuse("", "its model has ten joints: see wagon.xml");
    for (std::size_t i = 0; i < std::min(kJoints.size(), model.joints.size()); ++i)
      if (model.joints[i] != kJoints[i]) p.refuse("", "its model has a joint '" + std::string(kJoints[i]) + "'");
  }

  static robot::Facts facts() { return {}; }

  void put(const robot::State& state) override {
    steering_ = pitch_ = roll_ = sinking_ = pitching_ = rolling_ = 0;
    sunk_ = -1;  // set to the weight in the first step
    for (std::size_t i = 0; i < wheels_.size(); ++i) wheels_[i].stop(state.positions[kSpin[i]]);
  }

  void memory(robot::Memory& m) override {
    for (double* value : {&steering_, &sunk_, &pitch_, &roll_, &sinking_, &pitching_, &rolling_}) m(*value);
    for (Wheel& wheel : wheels_) wheel.memory(m);
  }

  void step(robot::Surroundings& around, robot::State& state) override {
    robot::Plane& plane = around.plane();
    const double gravity = -around.gravity().z, weight = plane.mass() * gravity;
    if (sunk_ < 0) sunk_ = weight / 4 / Wheel::kSpring;
    const auto steps = std::max<std::int64_t>(1, std::llround(around.tick_ns() * 1e-9 / kStep));
    const double dt = around.tick_ns() * 1e-9 / static_cast<double>(steps);
    for (std::int64_t i = 0; i < steps; ++i) {
      const robot::Plane::Motion at = plane.motion();
      const double c = std::cos(at.yaw), s = std::sin(at.yaw);
      const double u = c * at.vx + s * at.vy, v = c * at.vy - s * at.vx;
      const double torque = drive(around.command(), u, dt);
      double x = 0, y = 0, turn = 0, up = 0, nose = 0, side = 0;
      for (std::size_t w = 0; w < wheels_.size(); ++w) {
        const double wx = kPlace[w][0], wy = kPlace[w][1], angle = w < 2 ? steering_ : 0;
        const double cw = std::cos(angle), sw = std::sin(angle);
        const double hx = u - at.turn_rate * wy, hy = v + at.turn_rate * wx;
        wheels_[w].synchronize({cw * hx + sw * hy, cw * hy - sw * hx, sunk_ + pitch_ * wx - roll_ * wy,
                                sinking_ + pitching_ * wx - rolling_ * wy},
                               terrain_, torque / 4);
        const Wheel::Force& f = wheels_[w].force();
        const double fx = cw * f.along - sw * f.across, fy = sw * f.along + cw * f.across;
        x += fx, y += fy, turn += (wx - plane.com().x) * fy - wy * fx;
        up += f.load, nose += f.load * wx, side += f.load * wy;
      }
      // The ground pulls at its height, the chassis is above: it nods and leans.
      pitching_ += dt * (-nose - kHeight * x) / kPitchInertia, rolling_ += dt * (side + kHeight * y) / kRollInertia;
      sinking_ += dt * (weight - up) / plane.mass();
      sunk_ += dt * sinking_, pitch_ += dt * pitching_, roll_ += dt * rolling_;
      for (Wheel& wheel : wheels_) wheel.advance(dt);
      plane.step(dt, {c * x - s * y, s * x + c * y, 0}, turn);
    }
    plane.leave(state);
    const robot::Plane::Motion at = plane.motion();
    state.pose.q = turned(at.yaw, pitch_, roll_);
    state.pose.p.z = weight / 4 / Wheel::kSpring - sunk_;
    state.twist.v.z = -sinking_;
    for (std::size_t w = 0; w < wheels_.size(); ++w) {
      const double wx = kPlace[w][0], wy = kPlace[w][1];
      state.positions[kTravel[w]] = sunk_ + pitch_ * wx - roll_ * wy - weight / 4 / Wheel::kSpring;
      state.positions[kSpin[w]] = wheels_[w].angle(), state.velocities[kSpin[w]] = wheels_[w].rate();
    }
    state.positions[1] = state.positions[4] = steering_;
    around.wheels(Wheel::kRadius * wheels_[2].rate(), Wheel::kRadius * wheels_[3].rate(), steering_);
  }

 private:
  static constexpr double kStep = 0.001;                                                        // s
  static constexpr double kHeight = 0.23, kPitchInertia = 26, kRollInertia = 8;                 // m, kg m^2
  static constexpr double kPlace[4][2] = {{0.6, 0.4}, {0.6, -0.4}, {-0.6, 0.4}, {-0.6, -0.4}};  // m: front left first
  static constexpr std::array<std::string_view, 10> kJoints{
      "front_left_travel", "front_left_steering", "front_left", "front_right_travel", "front_right_steering",
      "front_right",       "rear_left_travel",    "rear_left",  "rear_right_travel",  "rear_right"};
  static constexpr std::size_t kTravel[4] = {0, 3, 6, 8}, kSpin[4] = {2, 5, 7, 9};

  // The torque on all wheels, N m: a driver who wants a speed.
  double drive(const Twist& wanted, double speed, double dt) {
    const double turn =
        wanted.w.z == 0 ? 0 : std::atan(wanted.w.z * base_ / std::copysign(std::max(std::abs(speed), 0.5), wanted.v.x));
    steering_ += std::clamp(std::clamp(turn, -max_steering_, max_steering_) - steering_, -steering_rate_ * dt,
                            steering_rate_ * dt);
    return std::clamp(60 * (std::clamp(wanted.v.x, -max_speed_, max_speed_) - speed), -2 * drive_, drive_);
  }

  Terrain terrain_;
  double drive_, steering_rate_, max_steering_, max_speed_, base_;
  double steering_ = 0;                              // rad
  double sunk_ = 0, pitch_ = 0, roll_ = 0;           // m, rad: down, nose down, right side down
  double sinking_ = 0, pitching_ = 0, rolling_ = 0;  // per s
  std::array<Wheel, 4> wheels_;
};

}  // namespace convoy_example
