#include "physics/mujoco/touches.h"

#include "physics/mujoco/numbers.h"
#include "physics/mujoco/outside_parts.h"

namespace convoy::mujoco {

void read_contacts(const mjModel* m, const mjData* d, int own, const Pose& X_WF, const WhoIs& who_is,
                   std::vector<ContactReading>& out) {
  const auto moves = [&](int body) { return body < own && m->body_weldid[body] != 0; };
  for (int i = 0; i < d->ncon && out.size() < kMaxContacts; ++i) {
    const mjContact& contact = d->contact[i];
    if (contact.geom[0] < 0 || contact.geom[1] < 0) continue;  // of a flexible body
    const int first = m->geom_bodyid[contact.geom[0]], second = m->geom_bodyid[contact.geom[1]];
    if (!moves(first) && !moves(second)) continue;
    const bool mine_is_first = moves(first);
    const int mine = mine_is_first ? first : second, other = mine_is_first ? second : first;
    double local[6] = {};
    if (contact.efc_address >= 0) mj_contactForce(m, d, i, local);
    Vec3 force;  // of the first on the second
    for (int k = 0; k < 3; ++k) force = force + local[k] * vec(contact.frame + 3 * k);
    const double sign = mine_is_first ? -1 : 1;  // the frame's first axis points from the first to the second
    ContactReading reading;
    reading.body = body_name(m, mine);
    if (other < own) reading.other_body = body_name(m, other);
    else reading.other = who_is(other);
    reading.position = X_WF.p + rotate(X_WF.q, vec(contact.pos));
    reading.normal = rotate(X_WF.q, sign * vec(contact.frame));
    reading.force = rotate(X_WF.q, sign * force);
    reading.depth = -contact.dist;
    out.push_back(std::move(reading));
  }
}

}  // namespace convoy::mujoco
