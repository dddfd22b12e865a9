#include "control/gains.h"

#include <algorithm>

namespace convoy::control {

namespace {

Meant meant_by_short(const Panel& panel, std::string_view name) {
  for (const Panel::Actuator& actuator : panel.actuators)
    if (actuator.name == name) return {{actuator.name}, false};
  Meant out{{}, true};
  for (const Panel::Actuator& actuator : panel.actuators)
    if (!actuator.joint.empty() && actuator.joint == name) out.actuators.push_back(actuator.name);
  return out;
}

}  // namespace

void lay_over(std::vector<GainPatch>& patches, GainPatch patch) {
  const auto same =
      std::find_if(patches.begin(), patches.end(), [&](const GainPatch& p) { return p.actuator == patch.actuator; });
  if (same == patches.end()) return patches.push_back(std::move(patch));
  if (patch.kp) same->kp = patch.kp;
  if (patch.kv) same->kv = patch.kv;
  if (patch.torque_limit) same->torque_limit = patch.torque_limit;
}

// An actuator's name in either form wins over a joint's.
Meant meant_by(const RobotEntry& robot, std::string_view name) {
  Meant out = meant_by_short(robot.panel, name);
  const std::string prefix = robot.name + "_";
  if ((!out.actuators.empty() && !out.by_joint) || !name.starts_with(prefix)) return out;
  Meant full = meant_by_short(robot.panel, name.substr(prefix.size()));
  return out.actuators.empty() || (!full.actuators.empty() && !full.by_joint) ? full : out;
}

Resolved resolve(const RobotEntry& robot, std::span<const GainPatch> named) {
  Resolved out;
  std::vector<GainPatch> exact;
  for (const GainPatch& patch : named) {
    const Meant meant = meant_by(robot, patch.actuator);
    if (meant.actuators.empty()) out.unknown.push_back(patch.actuator);
    for (const std::string& actuator : meant.actuators) {
      GainPatch own = patch;
      own.actuator = actuator;
      lay_over(meant.by_joint ? out.patches : exact, std::move(own));
    }
  }
  for (GainPatch& patch : exact) lay_over(out.patches, std::move(patch));
  return out;
}

}  // namespace convoy::control
