// The wheels of a robot that follows a twist: how fast they are to turn, and how far they have rolled.
#pragma once

#include <mujoco/mujoco.h>

#include <vector>

#include "physics/mujoco/compiled.h"
#include "world/model.h"

namespace convoy::mujoco {

// What the drive keeps from step to step; part of the robot's saved state.
struct WheelDriveState {
  double speed = 0, turn_rate = 0;  // that the wheels are set to, m/s, rad/s
  bool own_controls = false;        // their actuators were set one by one: a twist of 0 does not turn them
  friend bool operator==(const WheelDriveState&, const WheelDriveState&) = default;
};

// Does the actuator turn a wheel that follows twists?
bool turns_wheel(const Compiled& compiled, std::uint32_t actuator);

class WheelDrive {
 public:
  // Of the model, the limits and the wheels' sizes count.
  explicit WheelDrive(const Model& model);

  // Sets the wheels' actuators for the next step of `dt` seconds.
  void drive(WheelDriveState& state, const Compiled& compiled, const Twist& command, double dt, mjData* data) const;

  struct Ways {
    double left = 0, right = 0;  // m: the mean way of each side's rims
  };
  void mark(const Compiled& compiled, const mjData* data);
  Ways since_mark(const Compiled& compiled, const mjData* data) const;

 private:
  double max_speed_, max_acceleration_, max_turn_rate_, max_turn_acceleration_, half_separation_, wheel_radius_;
  std::vector<double> angles_;  // at the mark, rad: left, then right
};

}  // namespace convoy::mujoco
