// Ghosts as bodies of a MuJoCo model, and which touch which.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "core/check.h"
#include "physics/mujoco/ghosts.h"
#include "physics/mujoco/numbers.h"
#include "physics/mujoco/walls.h"

namespace convoy::mujoco {

namespace {

// kg; of what no push moves. A mocap body would do for that, but has no velocity: it brakes what slides along it.
constexpr double kDrivenMass = 1e5;

}  // namespace

std::string geom_name(std::size_t ghost, std::size_t geom) { return fmt::format("convoy:ghost:{}:{}", ghost, geom); }

mjsGeom* add_geom(mjSpec* spec, mjsBody* body, const GhostGeom& from, const std::string& name, int contype,
                  int conaffinity) {
  mjsGeom* geom = mjs_addGeom(body, mjs_getSpecDefault(spec));
  mjs_setName(geom->element, name.c_str());
  geom->type = static_cast<mjtGeom>(from.type);
  geom->alt.type = mjORIENTATION_QUAT;
  put(geom->pos, from.X_BG.p), put(geom->quat, from.X_BG.q);
  std::copy(from.size.begin(), from.size.end(), geom->size);
  if (!from.vertices.empty()) {
    mjsMesh* mesh = mjs_addMesh(spec, nullptr);
    mjs_setName(mesh->element, name.c_str());
    mjs_setFloat(mesh->uservert, from.vertices.data(), static_cast<int>(from.vertices.size()));
    mjs_setString(geom->meshname, name.c_str());
  }
  geom->mass = 0, geom->group = 5, geom->fluid_ellipsoid = 0;
  geom->contype = contype, geom->conaffinity = conaffinity;
  geom->condim = from.condim, geom->priority = from.priority;
  geom->margin = from.margin, geom->gap = from.gap, geom->solmix = from.solmix;
#if mjVERSION_HEADER >= 4000000
  geom->adhesion = from.adhesion;
  std::copy(from.surfacevel.begin(), from.surfacevel.end(), geom->surfacevel);
#endif
  std::copy(from.friction.begin(), from.friction.end(), geom->friction);
  std::copy(from.solref.begin(), from.solref.end(), geom->solref);
  std::copy(from.solimp.begin(), from.solimp.end(), geom->solimp);
  return geom;
}

void add_ghosts(mjSpec* spec, std::span<const GhostBody* const> ghosts) {
  while (mjsElement* key = mjs_firstElement(spec, mjOBJ_KEY)) mjs_delete(spec, key);
  if (ghosts.empty()) return;
  let_say_inertia(spec);
  mjsBody* world = mjs_findBody(spec, "world");
  for (std::size_t i = 0; i < ghosts.size(); ++i) {
    const GhostBody& ghost = *ghosts[i];
    const std::string name = fmt::format("convoy:ghost:{}", i);
    mjsBody* body = mjs_addBody(world, nullptr);
    mjs_setName(body->element, name.c_str());
    mjs_addFreeJoint(body);
    body->mass = ghost.free ? ghost.mass : kDrivenMass;
    put(body->ipos, ghost.free ? ghost.com : Vec3{});
    const std::array<double, 6> driven{kDrivenMass, kDrivenMass, kDrivenMass, 0, 0, 0};  // about a radius of 1 m
    std::copy_n((ghost.free ? ghost.inertia : driven).begin(), 6, body->fullinertia);
    body->explicitinertial = 1;
    body->gravcomp = ghost.free && ghost.passive ? 0 : 1;
    for (std::size_t g = 0; g < ghost.geoms.size(); ++g)
      add_geom(spec, body, ghost.geoms[g], geom_name(i, g), kGhosts,
               ghost.free && ghost.passive ? kGhosts | kPassive : 0);
  }
  if (spec->memory > 0) spec->memory += static_cast<mjtSize>(ghosts.size()) * kArenaForOne;
}

void let_say_inertia(mjSpec* spec) {
  if (spec->compiler.inertiafromgeom == mjINERTIAFROMGEOM_TRUE) spec->compiler.inertiafromgeom = mjINERTIAFROMGEOM_AUTO;
}

void put_shape(mjModel* m, const mjModel* from, int body, const GhostBody& then, const GhostBody& now) {
  EXPECTS(static_cast<std::size_t>(m->body_geomnum[body]) == then.geoms.size() &&
          now.geoms.size() == then.geoms.size());
  for (std::size_t i = 0; i < then.geoms.size(); ++i) {
    // The compiler moves meshes to their middle: this is the offset between the pose in the document and the compiled
    // one.
    const int g = m->body_geomadr[body] + static_cast<int>(i);
    const Pose made{vec(from->geom_pos + 3 * g), quat(from->geom_quat + 4 * g)};
    const Pose X_BG = now.geoms[i].X_BG * then.geoms[i].X_BG.inverse() * made;
    put(m->geom_pos + 3 * g, X_BG.p), put(m->geom_quat + 4 * g, unit(X_BG.q));
    m->geom_sameframe[g] = mjSAMEFRAME_NONE;
  }
  if (!then.free || m->body_simple[body]) return;  // a simple one has its centre in its frame: that is compiled in
  const auto& i = now.inertia;
  const double full[9] = {i[0], i[3], i[4], i[3], i[1], i[5], i[4], i[5], i[2]};
  double axes[9];
  put(m->body_ipos + 3 * body, now.com);
  mju_eig3(m->body_inertia + 3 * body, axes, m->body_iquat + 4 * body, full);
  m->body_sameframe[body] = mjSAMEFRAME_NONE;
}

void widen(mjModel* m, int body, double radius) {
  for (int i = m->body_bvhadr[body]; i >= 0 && i < m->body_bvhadr[body] + m->body_bvhnum[body]; ++i) {
    std::fill_n(m->bvh_aabb + 6 * i, 3, 0.0);
    std::fill_n(m->bvh_aabb + 6 * i + 3, 3,
                2 * radius);  // about the centre of mass, which is somewhere within the radius
  }
}

Status find_ghosts(mjModel* m, const Compiled& alone, std::size_t count, std::vector<GhostPlace>& out) {
  const mjModel* a = alone.model;
  const auto refuse = [] {
    return fail(ErrorCode::kUnsupported,
                "its document changes when neighbours stand beside it: no settotalmass or "
                "boundmass, and no inertiafromgeom that overrules inertials, is possible then");
  };
  const int outside = mj_name2id(m, mjOBJ_BODY, kOutside) < 0 ? 0 : 1;
  if (m->nbody != a->nbody + static_cast<int>(count) + outside || m->nmocap != a->nmocap + outside || m->na != a->na ||
      m->nu != a->nu || m->neq != a->neq || m->nuserdata != a->nuserdata || m->npluginstate != a->npluginstate)
    return refuse();
  if (std::memcmp(m->body_mass, a->body_mass, sizeof(double) * static_cast<std::size_t>(a->nbody)) != 0 ||
      std::memcmp(m->jnt_qposadr, a->jnt_qposadr, sizeof(int) * static_cast<std::size_t>(a->njnt)) != 0 ||
      std::memcmp(m->body_mocapid, a->body_mocapid, sizeof(int) * static_cast<std::size_t>(a->nbody)) != 0)
    return refuse();
  for (std::size_t i = 0; i < count; ++i) {
    GhostPlace place;
    place.body = mj_name2id(m, mjOBJ_BODY, fmt::format("convoy:ghost:{}", i).c_str());
    if (place.body != a->nbody + static_cast<int>(i)) return refuse();
    const int joint = m->body_jntadr[place.body];
    place.place = {m->jnt_qposadr[joint], m->jnt_dofadr[joint]};
    out.push_back(place);
  }
  for (int g = 0; g < m->ngeom; ++g) {
    const int body = m->geom_bodyid[g];
    if (body >= a->nbody || (!m->geom_contype[g] && !m->geom_conaffinity[g])) continue;
    if (m->body_weldid[body] == 0) {
      m->geom_contype[g] |= kPassive, m->body_contype[body] |= kPassive;
    } else {
      m->geom_conaffinity[g] |= kGhosts, m->body_conaffinity[body] |= kGhosts;
    }
  }
  return {};
}

}  // namespace convoy::mujoco
