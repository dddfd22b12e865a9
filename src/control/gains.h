// Gains of one actuator's controller, as a program outside the run wants them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "control/roster.h"

namespace convoy::control {

struct GainPatch {
  std::string actuator;
  std::optional<double> kp, kv, torque_limit;  // what is absent stays as it is
};

// Puts the patch over those that are there: one an actuator.
void lay_over(std::vector<GainPatch>& patches, GainPatch patch);

// The actuator of that name, or else those that drive the joint of that name; either may have the robot's name and '_'
// before it, as info messages show it. None: the robot has neither.
struct Meant {
  std::vector<std::string> actuators;
  bool by_joint = false;
};
Meant meant_by(const RobotEntry& robot, std::string_view name);

// Patches that name actuators or joints, by actuator. What names an actuator lies over what names its joint.
struct Resolved {
  std::vector<GainPatch> patches;
  std::vector<std::string> unknown;  // names
};
Resolved resolve(const RobotEntry& robot, std::span<const GainPatch> named);

}  // namespace convoy::control
