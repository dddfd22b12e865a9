// A car with an engine of its own: a bicycle model with load transfer. Its tyres hold as much as the weight on their axle
// lets them: braking loads the front one, and a corner that is taken too fast ends in a slide. What it runs into, and what
// runs into it, is the plane's business.
#pragma once

#include <convoy/robot.h>

#include <algorithm>
#include <cmath>

namespace convoy_example {

using namespace convoy;

inline constexpr double kStep = 0.002;  // s, as MuJoCo's files have it by default: of a hit both sides then see as much
inline constexpr double kSlow = 0.5;    // m/s: below it tyres hold as if they rolled so fast

class Bicycle final : public robot::Robot {
 public:
  Bicycle(Parameters& p, const robot::Model& model)
      : grip_(p.number("grip", 0.9, 0.05, 3)),
        stiffness_(p.number("cornering_stiffness", 8, 1, 100)),
        height_(p.number("com_height", 0.18, 0, 2)),
        drive_(p.number("acceleration", 3, 0.1, 20)),
        half_base_(model.wheelbase / 2),
        wheel_(model.wheel_radius),
        max_speed_(model.max_speed),
        max_steering_(model.max_steering),
        steering_rate_(model.max_steering_rate) {
    if (model.joints.size() != 6) p.refuse("", "its model has two steering joints and four wheels");
  }

  static robot::Facts facts() { return {}; }

  void put(const robot::State&) override { steering_ = 0, pulled_ = 0; }

  void memory(robot::Memory& m) override { m(steering_), m(pulled_); }

  void step(robot::Surroundings& around, robot::State& state) override {
    robot::Plane& plane = around.plane();
    const Twist wanted = around.command();
    const double gravity = -around.gravity().z, grip = grip_ * (1 - 0.4 * around.wetness());
    const double front = half_base_ - plane.com().x, rear = half_base_ + plane.com().x;  // m from the centre of mass
    const auto steps = std::max<std::int64_t>(1, std::llround(around.tick_ns() * 1e-9 / kStep));
    const double dt = around.tick_ns() * 1e-9 / static_cast<double>(steps);
    double rolled = 0, speed = 0;
    for (std::int64_t i = 0; i < steps; ++i) {
      const robot::Plane::Motion at = plane.motion();
      const double c = std::cos(at.yaw), s = std::sin(at.yaw);
      const double u = c * at.vx + s * at.vy, v = c * at.vy - s * at.vx + at.turn_rate * plane.com().x;
      steer(wanted, u, dt);
      // Weight on the axles: pulling forwards lifts the front.
      const double weight = plane.mass() * gravity, moved = plane.mass() * pulled_ * height_;
      const double on_front = std::max(0.0, (weight * rear - moved) / (front + rear));
      const double on_rear = std::max(0.0, (weight * front + moved) / (front + rear));
      // What the tyres give: along by the drive (rear) or the brakes (both), across by their slip.
      const double target = std::clamp(wanted.v.x, -max_speed_, max_speed_);
      const double along = plane.mass() * std::clamp(20 * (target - u), -2 * drive_, drive_);
      const bool brakes = along * u < 0;
      const double to_front = brakes ? along * on_front / std::max(1e-9, on_front + on_rear) : 0;
      const Force f = tyre(to_front, v + front * at.turn_rate, u, steering_, grip * on_front);
      const Force r = tyre(along - to_front, v - rear * at.turn_rate, u, 0, grip * on_rear);
      pulled_ = (f.along + r.along) / plane.mass();
      const double x = f.along + r.along, y = f.across + r.across;
      plane.step(dt, {c * x - s * y, s * x + c * y, 0}, front * f.across - rear * r.across);
      speed = u, rolled += u * dt;
    }
    plane.leave(state);
    for (const int side : {0, 2}) state.positions[side] = steering_;
    for (const int wheel : {1, 3, 4, 5})
      state.positions[wheel] += rolled / wheel_, state.velocities[wheel] = speed / wheel_;
    around.wheels(speed, speed, steering_);
  }

 private:
  struct Force {
    double along = 0, across = 0;  // N, in R
  };

  void steer(const Twist& wanted, double speed, double dt) {
    const double base = 2 * half_base_;
    const double target =
        wanted.w.z == 0 ? 0 : std::atan(wanted.w.z * base / std::copysign(std::max(std::abs(speed), 0.3), wanted.v.x));
    const double to = std::clamp(target, -max_steering_, max_steering_);
    steering_ += std::clamp(to - steering_, -steering_rate_ * dt, steering_rate_ * dt);
  }

  // `pull` along the wheel; `across` is how fast its axle slides, m/s; `most`: what it can hold at all, N.
  Force tyre(double pull, double across, double speed, double angle, double most) const {
    const double c = std::cos(angle), s = std::sin(angle);
    const double forward = c * speed + s * across, sideways = c * across - s * speed;
    const double slip = std::atan(sideways / std::max(std::abs(forward), kSlow));
    const double held = std::clamp(pull, -most, most);
    const double left = std::sqrt(std::max(0.0, most * most - held * held));  // for the corner: a circle
    const double side = most > 0 ? -left * std::tanh(stiffness_ * most * slip / std::max(1e-9, left)) : 0;
    const double lateral = std::clamp(side, -left, left);
    return {c * held - s * lateral, s * held + c * lateral};
  }

  double grip_, stiffness_, height_, drive_;
  double half_base_, wheel_, max_speed_, max_steering_, steering_rate_;
  double steering_ = 0;  // rad
  double pulled_ = 0;    // m/s^2, in the step before
};

}  // namespace convoy_example
