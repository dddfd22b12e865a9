#include "physics/mujoco/urdf_start.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "physics/mujoco/bounding_box.h"
#include "physics/mujoco/guard.h"
#include "physics/mujoco/numbers.h"

namespace convoy::mujoco {

void DeleteData::operator()(mjData* data) const {
  std::string ignored;
  guarded(ignored, [&] { mj_deleteData(data); });
}

OwnedData start_of(const mjModel* m, const std::vector<Mimic>& mimics) {
  std::string ignored;
  mjData* made = nullptr;
  guarded(ignored, [&] { made = mj_makeData(m); });
  OwnedData d(made);
  if (!d) return d;
  for (int j = 0; j < m->njnt; ++j)
    if (m->jnt_limited[j] && (m->jnt_type[j] == mjJNT_HINGE || m->jnt_type[j] == mjJNT_SLIDE)) {
      mjtNum& q = d->qpos[m->jnt_qposadr[j]];
      q = std::clamp(q, m->jnt_range[2 * j], std::max(m->jnt_range[2 * j], m->jnt_range[2 * j + 1]));
    }
  for (const Mimic& mimic : mimics) {
    const int joint = mj_name2id(m, mjOBJ_JOINT, mimic.joint.c_str()),
              of = mj_name2id(m, mjOBJ_JOINT, mimic.of.c_str());
    if (joint >= 0 && of >= 0)
      d->qpos[m->jnt_qposadr[joint]] = mimic.offset + mimic.multiplier * d->qpos[m->jnt_qposadr[of]];
  }
  guarded(ignored, [&] { mj_kinematics(m, d.get()); });
  return d;
}

double lowest_of(const mjModel* m, const mjData* d, int geom) {
  const mjtNum* R = d->geom_xmat + 9 * geom;
  const double up[3] = {R[6], R[7], R[8]};  // the world's z axis in the geom's frame
  const mjtNum* size = m->geom_size + 3 * geom;
  const double across = std::sqrt(std::fmax(0, 1 - up[2] * up[2]));
  double below = 0;
  switch (m->geom_type[geom]) {
    case mjGEOM_SPHERE: below = size[0]; break;
    case mjGEOM_CAPSULE: below = size[0] + std::fabs(up[2]) * size[1]; break;
    case mjGEOM_CYLINDER: below = across * size[0] + std::fabs(up[2]) * size[1]; break;
    case mjGEOM_ELLIPSOID: below = norm({up[0] * size[0], up[1] * size[1], up[2] * size[2]}); break;
    case mjGEOM_MESH: {
      const int mesh = m->geom_dataid[geom];
      const float* v = m->mesh_vert + 3 * m->mesh_vertadr[mesh];
      for (int i = 0; i < m->mesh_vertnum[mesh]; ++i, v += 3)
        below = std::max(below, -(up[0] * v[0] + up[1] * v[1] + up[2] * v[2]));
      break;
    }
    default: below = std::fabs(up[0]) * size[0] + std::fabs(up[1]) * size[1] + std::fabs(up[2]) * size[2];
  }
  return d->geom_xpos[3 * geom + 2] - below;
}

double lowest_of_all(const mjModel* m, const mjData* d) {
  double lowest = HUGE_VAL;
  for (int g = 0; g < m->ngeom; ++g)
    if (is_solid(m, g) && m->body_weldid[m->geom_bodyid[g]] != 0) lowest = std::min(lowest, lowest_of(m, d, g));
  return lowest;
}

namespace {

std::string row_of(const mjtNum* numbers, int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += fmt::format("{}{:.17g}", i ? " " : "", numbers[i]);
  return out;
}

// Servos hold what the robot begins with.
std::string controls_of(const mjModel* m, const mjData* d, const Element& mjcf) {
  std::string out;
  const Element* all = mjcf.child("actuator");
  for (std::size_t i = 0; all && i < all->children.size(); ++i) {
    const Element& a = all->children[i];
    const int joint = a.tag == "position" ? mj_name2id(m, mjOBJ_JOINT, a.get("joint").c_str()) : -1;
    out += fmt::format("{}{:.17g}", i ? " " : "", joint < 0 ? 0 : d->qpos[m->jnt_qposadr[joint]]);
  }
  return out;
}

}  // namespace

void set_start(const mjModel* m, mjData* d, bool floats, Element& mjcf, ImportReport& report) {
  int elsewhere = 0;
  for (int j = 0; j < m->njnt; ++j) {
    const bool single = m->jnt_type[j] == mjJNT_HINGE || m->jnt_type[j] == mjJNT_SLIDE;
    elsewhere += single && d->qpos[m->jnt_qposadr[j]] != 0;
  }
  if (floats && m->njnt > 0 && m->jnt_type[0] == mjJNT_FREE) {
    const double lowest = lowest_of_all(m, d);
    Element* world = mjcf.child("worldbody");
    Element* base = world ? world->child("body") : nullptr;
    if (std::isfinite(lowest) && base) {
      report.lift = kClearance - lowest;
      d->qpos[2] += report.lift;
      base->set("pos", row_of(d->qpos, 3));
      report.made.push_back(fmt::format("the base is raised by {:.4g} m: the lowest solid shape begins {:g} mm above 0",
                                        report.lift, kClearance * 1e3));
      std::string ignored;
      guarded(ignored, [&] { mj_kinematics(m, d); });
    }
  }
  if (elsewhere == 0) return;
  report.made.push_back(fmt::format("{} joints begin at a limit: their ranges leave out 0", elsewhere));
  Element& key = mjcf.add("keyframe").add("key");
  key.set("name", "home"), key.set("qpos", row_of(d->qpos, m->nq));
  if (const std::string controls = controls_of(m, d, mjcf); !controls.empty()) key.set("ctrl", controls);
}

}  // namespace convoy::mujoco
