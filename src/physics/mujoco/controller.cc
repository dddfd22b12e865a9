#include "physics/mujoco/controller.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace convoy::mujoco {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

void switch_on(Controller& c, const mjModel* m, const mjData* d) {
  c.pd = true;
  c.gains.resize(at(m->nu));
  c.targets.assign(at(m->nu), 0);
  for (int a = 0; a < m->nu; ++a)
    if (const int joint = motor_joint(m, a); joint >= 0) c.targets[at(a)] = d->qpos[m->jnt_qposadr[joint]];
}

int actuator_of(const mjModel* m, const std::string& name) {
  if (const int id = mj_name2id(m, mjOBJ_ACTUATOR, name.c_str()); id >= 0) return id;
  constexpr const char* kUnnamed = "actuator_";
  int id = -1;
  if (name.rfind(kUnnamed, 0) == 0) std::from_chars(name.data() + 9, name.data() + name.size(), id);
  return id < m->nu ? id : -1;
}

}  // namespace

int motor_joint(const mjModel* m, int actuator) {
  const int kind = m->actuator_trntype[actuator], joint = m->actuator_trnid[2 * actuator];
  if (kind != mjTRN_JOINT && kind != mjTRN_JOINTINPARENT) return -1;
  if (m->actuator_biastype[actuator] != mjBIAS_NONE || m->actuator_dyntype[actuator] != mjDYN_NONE) return -1;
  return m->jnt_type[joint] == mjJNT_HINGE || m->jnt_type[joint] == mjJNT_SLIDE ? joint : -1;
}

bool set_parameter(Controller& c, const mjModel* m, const mjData* d, const std::string& name, const std::string& value) {
  if (name == "mode" && value == "raw") return c = {}, true;
  if (name == "mode" && value == "pd") {
    if (!c.pd) switch_on(c, m, d);
    return true;
  }
  if (name == "gains" && value == "default") return c.gains.assign(c.gains.size(), {}), true;
  const std::size_t dot = name.rfind('.');
  if (dot == name.npos || c.gains.empty()) return false;
  const int actuator = actuator_of(m, name.substr(0, dot));
  double number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (actuator < 0 || error != std::errc() || end != value.data() + value.size() || !std::isfinite(number) || number < 0)
    return false;
  Gains& gains = c.gains[at(actuator)];
  const std::string what = name.substr(dot + 1);
  if (what == "kp") gains.kp = number;
  else if (what == "kv") gains.kv = number;
  else if (what == "torque_limit") gains.torque_limit = number;
  else return false;
  return true;
}

bool take_target(Controller& c, const mjModel* m, std::uint32_t actuator, double value) {
  if (!c.pd || motor_joint(m, static_cast<int>(actuator)) < 0) return false;
  c.targets[actuator] = value;
  return true;
}

void apply(const Controller& c, const mjModel* m, mjData* d) {
  if (!c.pd) return;
  for (int a = 0; a < m->nu; ++a) {
    const int joint = motor_joint(m, a);
    if (joint < 0) continue;
    const Gains& g = c.gains[at(a)];
    double target = c.targets[at(a)];
    if (m->jnt_limited[joint])
      target = std::min(std::max(target, m->jnt_range[2 * joint]), m->jnt_range[2 * joint + 1]);
    const double torque = g.kp * (target - d->qpos[m->jnt_qposadr[joint]]) - g.kv * d->qvel[m->jnt_dofadr[joint]];
    d->ctrl[a] = std::min(std::max(torque, -g.torque_limit), g.torque_limit);
  }
}

}  // namespace convoy::mujoco
