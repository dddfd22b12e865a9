#include "physics/mujoco/panel.h"

#include "physics/mujoco/numbers.h"

namespace convoy::mujoco {

namespace {

std::string name_of(const mjModel* m, mjtObj kind, int id, const char* otherwise) {
  const char* name = mj_id2name(m, kind, id);
  return name && *name ? name : otherwise + std::to_string(id);
}

}  // namespace

Panel panel_of(const mjModel* m) {
  Panel out;
  for (int j = 0; j < m->njnt; ++j)
    (m->jnt_type[j] == mjJNT_FREE ? out.bases : out.joints).push_back({name_of(m, mjOBJ_JOINT, j, "joint_"), j});
  for (int a = 0; a < m->nu; ++a) {
    Panel::Actuator actuator{name_of(m, mjOBJ_ACTUATOR, a, "actuator_")};
    if (m->actuator_ctrllimited[a])
      actuator.low = m->actuator_ctrlrange[2 * a], actuator.high = m->actuator_ctrlrange[2 * a + 1];
    out.actuators.push_back(std::move(actuator));
  }
  for (int s = 0; s < m->nsensor; ++s)
    out.sensors.push_back({name_of(m, mjOBJ_SENSOR, s, "sensor_"), s, static_cast<std::uint32_t>(m->sensor_dim[s])});
  for (int c = 0; c < m->ncam; ++c) out.cameras.push_back(name_of(m, mjOBJ_CAMERA, c, "camera_"));
  return out;
}

void read(const mjModel* m, const mjData* d, const Panel& panel, PanelReadings& out) {
  out.joints.clear(), out.bases.clear();
  for (const Panel::Item& joint : panel.joints) {
    const int dof = m->jnt_dofadr[joint.id];
    out.joints.push_back({d->qpos[m->jnt_qposadr[joint.id]], d->qvel[dof], d->qacc[dof]});
  }
  for (const Panel::Item& base : panel.bases) {
    const double* qvel = d->qvel + m->jnt_dofadr[base.id];
    out.bases.push_back({pose_at(d->qpos + m->jnt_qposadr[base.id]), vec(qvel), vec(qvel + 3)});
  }
  out.sensors.assign(d->sensordata, d->sensordata + m->nsensordata);
}

}  // namespace convoy::mujoco
