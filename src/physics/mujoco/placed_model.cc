#include "physics/mujoco/placed_model.h"

namespace convoy::mujoco {

namespace {

// Part of the world itself, horizontal, at height 0.
bool is_level_ground(const mjModel& m, int g) {
  const mjtNum* q = m.geom_quat + 4 * g;
  return m.geom_bodyid[g] == 0 && m.geom_type[g] == mjGEOM_PLANE && m.geom_pos[3 * g + 2] == 0 && q[1] == 0 &&
         q[2] == 0;
}

}  // namespace

void place(mjModel& m, const Pose& X_WF, const Felt& felt) {
  const Quat tilt = level(X_WF).q.conjugate() * X_WF.q;  // of F in the level frame L
  for (mjtNum* v : {m.opt.gravity, m.opt.wind, m.opt.magnetic}) put(v, rotate(tilt.conjugate(), vec(v)));
  if (felt.gravity) put(m.opt.gravity, rotate(X_WF.q.conjugate(), *felt.gravity));
  if (felt.wind) put(m.opt.wind, rotate(X_WF.q.conjugate(), *felt.wind));
  apply(felt.options, m.opt);
  if (is_level(X_WF)) return;
  const Vec3 up = rotate(X_WF.q.conjugate(), {0, 0, 1});
  const double z[3] = {up.x, up.y, up.z};
  for (int g = 0; g < m.ngeom; ++g) {
    if (!is_level_ground(m, g)) continue;
    put(m.geom_pos + 3 * g, -X_WF.p.z * up);
    mju_quatZ2Vec(m.geom_quat + 4 * g, z);
    m.geom_sameframe[g] = mjSAMEFRAME_NONE;
  }
}

PlacedModel::PlacedModel(const mjModel* model, const Pose& X_WF, const Felt& felt)
    : model_(*model),
      geom_pos_(model->geom_pos, model->geom_pos + 3 * model->ngeom),
      geom_quat_(model->geom_quat, model->geom_quat + 4 * model->ngeom),
      geom_sameframe_(model->geom_sameframe, model->geom_sameframe + model->ngeom) {
  model_.geom_pos = geom_pos_.data(), model_.geom_quat = geom_quat_.data();
  model_.geom_sameframe = geom_sameframe_.data();
  place(model_, X_WF, felt);
}

std::unique_ptr<PlacedModel> placed(const mjModel* model, const Pose& X_WF, const Felt& felt) {
  return is_placed(X_WF, felt) ? std::make_unique<PlacedModel>(model, X_WF, felt) : nullptr;
}

}  // namespace convoy::mujoco
