#include "physics/mujoco/wrench_meter.h"

#include <cmath>

#include "core/check.h"
#include "physics/mujoco/numbers.h"

namespace convoy::mujoco {

namespace {

constexpr double kTraction = 0.6;  // of what friction bears; beyond it two halves of a contact drift apart

}  // namespace

void WrenchMeter::begin(bool on) {
  on_ = on;
  moments_ = 0;
  wrench_ = {};
  pull_ = grip_ = 0;
}

void WrenchMeter::add(const mjModel* m, const mjData* d, int root, int outside, std::span<const Push> pushes) {
  EXPECTS(on_);
  ++moments_;
  const auto is_static = [&](int body) { return m->body_weldid[body] == 0 || body == outside; };
  const Vec3 com = vec(d->subtree_com + 3 * root);
  Vec3 force, torque;
  for (int i = 0; i < d->ncon; ++i) {
    const mjContact& contact = d->contact[i];
    const int a = contact.geom[0] < 0 ? -1 : m->geom_bodyid[contact.geom[0]];
    const int b = contact.geom[1] < 0 ? -1 : m->geom_bodyid[contact.geom[1]];
    if (a < 0 || b < 0 || contact.efc_address < 0) continue;
    const bool on_b = m->body_rootid[b] == root && is_static(a);
    const bool on_a = m->body_rootid[a] == root && is_static(b);
    if (!on_a && !on_b) continue;
    double local[6];
    mj_contactForce(m, d, i, local);
    const double sign = on_b ? 1 : -1;  // from a on b
    const double* frame = contact.frame;
    Vec3 f, t;
    for (int k = 0; k < 3; ++k) {
      f = f + sign * local[k] * vec(frame + 3 * k);
      t = t + sign * local[3 + k] * vec(frame + 3 * k);
    }
    force = force + f, torque = torque + t + cross(vec(contact.pos) - com, f);
    pull_ += std::sqrt(local[1] * local[1] + local[2] * local[2]), grip_ += contact.friction[0] * local[0];
  }
  for (const Push& push : pushes) {
    if (m->body_rootid[push.body] != root) continue;
    const Vec3 f = vec(d->xfrc_applied + 6 * push.body);
    force = force + f;
    torque = torque + vec(d->xfrc_applied + 6 * push.body + 3) + cross(vec(d->xipos + 3 * push.body) - com, f);
  }
  if (!(m->opt.disableflags & mjDSBL_GRAVITY)) force = force + m->body_subtreemass[root] * vec(m->opt.gravity);
  const double sum[] = {force.x, force.y, force.z, torque.x, torque.y, torque.z};
  for (std::size_t i = 0; i < kWrenchSize; ++i) wrench_[i] += sum[i];
}

void WrenchMeter::average() {
  if (!on_) return;
  EXPECTS(moments_ > 0);
  for (double& sum : wrench_) sum /= moments_;
}

bool WrenchMeter::near_limit() const { return pull_ > kTraction * grip_; }

}  // namespace convoy::mujoco
