// What stands between a robot's controls and its motors: nothing, or a PD controller over joint positions.
//
//   torque = kp (target - q) - kv dq/dt, not beyond +-torque_limit; in each physics step
//
// Only motors of hinges and slides have it (actuators without a feedback of their own); controls of others pass as they
// are. Targets are kept within the joint's limits. The gains' defaults are URLab's.
#pragma once

#include <mujoco/mujoco.h>

#include <string>
#include <vector>

#include "core/fields.h"

namespace convoy::mujoco {

struct Gains {
  double kp = 100, kv = 5, torque_limit = 200;
  friend bool operator==(const Gains&, const Gains&) = default;
};
template <class V>
void fields(V& v, Gains& g) { v("kp", g.kp), v("kv", g.kv), v("torque_limit", g.torque_limit); }

struct Controller {
  bool pd = false;
  // By actuator; empty until it is switched on.
  std::vector<Gains> gains;
  std::vector<double> targets;
  friend bool operator==(const Controller&, const Controller&) = default;
};
template <class V>
void fields(V& v, Controller& c) { v("pd", c.pd), v("gains", c.gains), v("targets", c.targets); }

// The joint that this motor turns or pushes, or -1: it is none.
int motor_joint(const mjModel* m, int actuator);

// "mode" is raw or pd (which holds the joints where they are); "gains" is default; "<actuator>.kp" and so on numbers not
// below 0. False: it is something else, and nothing changed.
bool set_parameter(Controller& c, const mjModel* m, const mjData* d, const std::string& name, const std::string& value);

// False: the control is for the actuator itself.
bool take_target(Controller& c, const mjModel* m, std::uint32_t actuator, double value);
// Before each step.
void apply(const Controller& c, const mjModel* m, mjData* d);

}  // namespace convoy::mujoco
