#include "physics/mujoco/load.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "core/hash.h"
#include "physics/mujoco/numbers.h"

namespace convoy::mujoco {

namespace {

// The base without anything on it, in its own frame B: the first free body, or the world of the document.
GhostBody base_of(const Compiled& c) {
  const mjModel* m = c.model;
  GhostBody base;
  base.body = 0;
  if (c.fixed_base) return base;
  const int b = base.body = c.free[0].body;
  base.free = true;
  const double* i = m->body_inertia + 3 * b;
  const Pose X_BI{vec(m->body_ipos + 3 * b), quat(m->body_iquat + 4 * b)};
  add_mass(base, X_BI, m->body_mass[b], {}, {i[0], i[1], i[2], 0, 0, 0});
  return base;
}

// The same in a document.
mjsBody* base_in(mjSpec* spec, bool free) {
  mjsBody* world = mjs_findBody(spec, "world");
  if (!free) return world;
  for (mjsElement* e = mjs_firstChild(world, mjOBJ_BODY, 0); e; e = mjs_nextChild(world, e, 0)) {
    mjsElement* joint = mjs_firstChild(mjs_asBody(e), mjOBJ_JOINT, 0);
    if (joint && mjs_asJoint(joint)->type == mjJNT_FREE) return mjs_asBody(e);
  }
  return nullptr;
}

std::string name_of(std::size_t geom) { return fmt::format("convoy:load:{}", geom); }

}  // namespace

bool same_load(std::span<const Carried> a, std::span<const Carried> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Carried& x, const Carried& y) { return x.model == y.model && x.X_BC == y.X_BC; });
}

std::shared_ptr<const Load> make_load(const Compiled* bare, std::span<const Piece> pieces) {
  auto out = std::make_shared<Load>();
  Pose X_RB;
  if (bare) out->base = base_of(*bare), X_RB = bare->X_BR.inverse();
  out->own_mass = out->base.mass;
  for (const Piece& piece : pieces) {
    const GhostBody& body = piece.kind->load;
    if (body.geoms.empty()) continue;
    const Pose X_BC = X_RB.inverse() * piece.X_RC;
    if (out->base.free) add_mass(out->base, X_BC, body.mass, body.com, body.inertia);
    out->base.radius = std::max(out->base.radius, norm(X_BC.p) + piece.kind->core_radius);
    out->base.box.add(body.box, X_BC);
    for (GhostGeom geom : body.geoms) {
      geom.X_BG = X_BC * geom.X_BG;
      out->base.geoms.push_back(std::move(geom));
    }
    out->key = chain(out->key, piece.kind->key);
    const Quat& q = piece.X_RC.q;
    for (const double x : {piece.X_RC.p.x, piece.X_RC.p.y, piece.X_RC.p.z, q.w, q.x, q.y, q.z})
      out->key = chain(out->key, std::bit_cast<std::uint64_t>(x));
  }
  return out->base.geoms.empty() ? nullptr : out;
}

void add_load(mjSpec* spec, const Load& load) {
  mjsBody* base = base_in(spec, load.base.free);
  if (!base) return;  // find_load() will report it
  if (load.base.free) {
    let_say_inertia(spec);
    base->gravcomp *= load.own_mass / load.base.mass;  // it bears the robot alone
    base->mass = load.base.mass;
    put(base->ipos, load.base.com);
    put(base->iquat, Quat{});
    base->ialt.type = mjORIENTATION_QUAT;
    std::fill_n(base->inertia, 3, 0.0);
    std::copy(load.base.inertia.begin(), load.base.inertia.end(), base->fullinertia);
    base->explicitinertial = 1;
  }
  for (std::size_t g = 0; g < load.base.geoms.size(); ++g)
    add_geom(spec, base, load.base.geoms[g], name_of(g), 0, kPassive);
  if (spec->memory > 0) spec->memory += kArenaForOne;
}

Status find_load(const mjModel* m, const Load& load, const Compiled& bare) {
  const mjModel* b = bare.model;
  const int base = load.base.body;
  bool same = m->nbody == b->nbody && m->nq == b->nq && m->nv == b->nv && m->na == b->na && m->nu == b->nu &&
              m->neq == b->neq && m->nuserdata == b->nuserdata && m->npluginstate == b->npluginstate &&
              m->nmocap == b->nmocap;
  for (int i = 0; same && i < b->nbody; ++i)
    same = m->body_mass[i] == (i == base && load.base.free ? load.base.mass : b->body_mass[i]) &&
           m->body_mocapid[i] == b->body_mocapid[i];
  for (std::size_t g = 0; same && g < load.base.geoms.size(); ++g) {
    const int geom = mj_name2id(m, mjOBJ_GEOM, name_of(g).c_str());
    same = geom >= 0 && m->geom_bodyid[geom] == base;
  }
  if (!same)
    return fail(ErrorCode::kUnsupported,
                "its document changes when it carries something: no settotalmass, boundmass or "
                "fusestatic, and no inertiafromgeom that overrules inertials, is possible then");
  return {};
}

void offer_contacts(mjModel* m, const Load& load, int own) {
  for (int g = 0; g < m->ngeom; ++g) {
    const int body = m->geom_bodyid[g];
    const bool carries = load.base.free ? m->body_rootid[body] == load.base.body : stands(m, body);
    if (body >= own || carries || (!m->geom_contype[g] && !m->geom_conaffinity[g])) continue;
    m->geom_contype[g] |= kPassive, m->body_contype[body] |= kPassive;
  }
}

void add_to_ghost(GhostKind& kind, const Load& load) {
  if (kind.bodies.empty()) kind.bodies.emplace_back();
  GhostBody& body = kind.bodies[0];
  body.geoms.insert(body.geoms.end(), load.base.geoms.begin(), load.base.geoms.end());
  body.radius = std::max(body.radius, load.base.radius);
  body.box.add(load.base.box, {});
  kind.core_radius = std::max(kind.core_radius, load.base.radius);
}

}  // namespace convoy::mujoco
