#include "physics/mujoco/panel.h"

#include "physics/mujoco/numbers.h"
#include "physics/mujoco/outside_parts.h"

namespace convoy::mujoco {

namespace {

std::string name_of(const mjModel* m, mjtObj kind, int id, const char* otherwise) {
  const char* name = mj_id2name(m, kind, id);
  return name && *name ? name : otherwise + std::to_string(id);
}

// Is its control the position of its joint, neither in another unit nor that of something else?
bool holds_position(const mjModel* m, int a) {
  const int kind = m->actuator_trntype[a], joint = m->actuator_trnid[2 * a];
  if (kind != mjTRN_JOINT && kind != mjTRN_JOINTINPARENT) return false;
  if (m->jnt_type[joint] != mjJNT_HINGE && m->jnt_type[joint] != mjJNT_SLIDE) return false;
  const double gain = m->actuator_gainprm[mjNGAIN * a], back = m->actuator_biasprm[mjNBIAS * a + 1];
  return m->actuator_gaintype[a] == mjGAIN_FIXED && m->actuator_biastype[a] == mjBIAS_AFFINE && gain != 0 &&
         back == -gain && m->actuator_gear[6 * a] == 1;
}

}  // namespace

static_assert(mjJNT_FREE == 0 && mjJNT_BALL == 1 && mjJNT_SLIDE == 2 && mjJNT_HINGE == 3);  // as Panel::Joint::Type

Panel panel_of(const mjModel* m) {
  Panel out;
  for (int j = 0; j < m->njnt; ++j)
    (m->jnt_type[j] == mjJNT_FREE ? out.bases : out.joints).push_back({name_of(m, mjOBJ_JOINT, j, "joint_"), j});
  for (int a = 0; a < m->nu; ++a) {
    Panel::Actuator actuator{name_of(m, mjOBJ_ACTUATOR, a, "actuator_")};
    actuator.limited = m->actuator_ctrllimited[a] != 0;
    if (actuator.limited) actuator.low = m->actuator_ctrlrange[2 * a], actuator.high = m->actuator_ctrlrange[2 * a + 1];
    const int kind = m->actuator_trntype[a];
    if (kind == mjTRN_JOINT || kind == mjTRN_JOINTINPARENT)
      actuator.joint = name_of(m, mjOBJ_JOINT, m->actuator_trnid[2 * a], "joint_");
    actuator.servo = holds_position(m, a);
    out.actuators.push_back(std::move(actuator));
  }
  for (int s = 0; s < m->nsensor; ++s)
    out.sensors.push_back({name_of(m, mjOBJ_SENSOR, s, "sensor_"), s, static_cast<std::uint32_t>(m->sensor_dim[s])});
  out.mocaps.resize(static_cast<std::size_t>(m->nmocap));
  for (int b = 0; b < m->nbody; ++b)
    if (const int id = m->body_mocapid[b]; id >= 0) out.mocaps[static_cast<std::size_t>(id)] = body_name(m, b);
  for (int j = 0; j < m->njnt; ++j) {
    Panel::Joint joint{name_of(m, mjOBJ_JOINT, j, "joint_"), j, static_cast<Panel::Joint::Type>(m->jnt_type[j]),
                       static_cast<std::size_t>(m->jnt_qposadr[j]), static_cast<std::size_t>(m->jnt_dofadr[j])};
    joint.low = m->jnt_range[2 * j], joint.high = m->jnt_range[2 * j + 1], joint.limited = m->jnt_limited[j] != 0;
    out.all_joints.push_back(std::move(joint));
  }
  for (int k = 0; k < m->nkey; ++k) {
    const auto row = [&](const double* from, int n) { return std::vector<double>(from + k * n, from + (k + 1) * n); };
    out.keyframes.push_back({name_of(m, mjOBJ_KEY, k, "key_"), m->key_time[k], row(m->key_qpos, m->nq),
                             row(m->key_qvel, m->nv), row(m->key_act, m->na), row(m->key_ctrl, m->nu)});
  }
  out.nq = static_cast<std::size_t>(m->nq), out.nv = static_cast<std::size_t>(m->nv);
  out.na = static_cast<std::size_t>(m->na), out.nsensordata = static_cast<std::size_t>(m->nsensordata);
  return out;
}

void read(const mjModel* m, const EngineView& now, std::span<const double> qacc, const Panel& panel,
          PanelReadings& out) {
  out.joints.clear(), out.bases.clear();
  for (const Panel::Item& joint : panel.joints) {
    const auto dof = static_cast<std::size_t>(m->jnt_dofadr[joint.id]);
    out.joints.push_back({now.qpos[static_cast<std::size_t>(m->jnt_qposadr[joint.id])], now.qvel[dof], qacc[dof]});
  }
  for (const Panel::Item& base : panel.bases) {
    const double* qvel = now.qvel.data() + m->jnt_dofadr[base.id];
    out.bases.push_back({pose_at(now.qpos.data() + m->jnt_qposadr[base.id]), vec(qvel), vec(qvel + 3)});
  }
  out.sensors.assign(now.sensors.begin(), now.sensors.end());
}

}  // namespace convoy::mujoco
