#include "physics/mujoco/wheel_drive.h"

#include <algorithm>
#include <cmath>

#include "core/check.h"

namespace convoy::mujoco {

namespace {

double clamped(double x, double bound) { return std::isfinite(x) ? std::min(std::max(x, -bound), bound) : 0; }
double approached(double x, double target, double step) {
  return target > x ? std::min(target, x + step) : std::max(target, x - step);
}

}  // namespace

bool turns_wheel(const Compiled& compiled, std::uint32_t actuator) {
  const auto is_it = [&](const Wheel& wheel) { return wheel.actuator == static_cast<int>(actuator); };
  return std::any_of(compiled.left.begin(), compiled.left.end(), is_it) ||
         std::any_of(compiled.right.begin(), compiled.right.end(), is_it);
}

WheelDrive::WheelDrive(const Model& model)
    : max_speed_(model.max_speed),
      max_acceleration_(model.max_acceleration),
      max_turn_rate_(model.max_turn_rate),
      max_turn_acceleration_(model.max_turn_acceleration),
      half_separation_(model.half_separation),
      wheel_radius_(model.wheel_radius) {}

void WheelDrive::drive(WheelDriveState& state, const Compiled& compiled, const Twist& command, double dt,
                       mjData* data) const {
  if (compiled.left.empty() && compiled.right.empty()) return;
  if (state.own_controls && command == Twist{}) return;
  state.own_controls = false;
  state.speed = approached(state.speed, clamped(command.v.x, max_speed_), max_acceleration_ * dt);
  state.turn_rate = approached(state.turn_rate, clamped(command.w.z, max_turn_rate_), max_turn_acceleration_ * dt);
  const double side = state.turn_rate * half_separation_;
  for (const Wheel& w : compiled.left) data->ctrl[w.actuator] = w.sign * (state.speed - side) / wheel_radius_;
  for (const Wheel& w : compiled.right) data->ctrl[w.actuator] = w.sign * (state.speed + side) / wheel_radius_;
}

void WheelDrive::mark(const Compiled& compiled, const mjData* data) {
  angles_.clear();
  for (const auto* side : {&compiled.left, &compiled.right})
    for (const Wheel& wheel : *side) angles_.push_back(data->qpos[wheel.place.qpos]);
}

WheelDrive::Ways WheelDrive::since_mark(const Compiled& compiled, const mjData* data) const {
  EXPECTS(angles_.size() == compiled.left.size() + compiled.right.size());
  const auto rolled = [&](const std::vector<Wheel>& wheels, std::size_t first) {
    double sum = 0;
    for (std::size_t i = 0; i < wheels.size(); ++i)
      sum += wheels[i].sign * (data->qpos[wheels[i].place.qpos] - angles_[first + i]);
    return wheels.empty() ? 0 : sum / static_cast<double>(wheels.size()) * wheel_radius_;
  };
  return {rolled(compiled.left, 0), rolled(compiled.right, compiled.left.size())};
}

}  // namespace convoy::mujoco
