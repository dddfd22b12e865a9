// Ghosts as bodies of a MuJoCo model, and who touches whom.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "physics/mujoco/ghosts.h"
#include "physics/mujoco/numbers.h"

namespace convoy::mujoco {

namespace {

// kg; of what no push moves. A mocap body would do for that, but has no velocity: it brakes what slides along it.
constexpr double kDrivenMass = 1e5;

}  // namespace

void add_geom(mjSpec* spec, mjsBody* body, const GhostGeom& from, const std::string& name, int contype, int conaffinity) {
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
  std::copy(from.friction.begin(), from.friction.end(), geom->friction);
  std::copy(from.solref.begin(), from.solref.end(), geom->solref);
  std::copy(from.solimp.begin(), from.solimp.end(), geom->solimp);
}

void add_ghosts(mjSpec* spec, std::span<const GhostBody* const> ghosts) {
  while (mjsElement* key = mjs_firstElement(spec, mjOBJ_KEY)) mjs_delete(spec, key);
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
      add_geom(spec, body, ghost.geoms[g], fmt::format("{}:{}", name, g), kGhosts,
               ghost.free && ghost.passive ? kGhosts | kPassive : 0);
  }
  if (spec->memory > 0) spec->memory += static_cast<mjtSize>(ghosts.size()) * kArenaForOne;
}

Status find_ghosts(mjModel* m, const Compiled& alone, std::size_t count, std::vector<GhostPlace>& out) {
  const mjModel* a = alone.model;
  const auto refuse = [] {
    return fail(ErrorCode::kUnsupported, "its document changes when neighbours stand beside it: no settotalmass, "
                                         "inertiafromgeom or boundmass is possible then");
  };
  if (m->nbody != a->nbody + static_cast<int>(count) || m->na != a->na || m->nu != a->nu || m->neq != a->neq ||
      m->nuserdata != a->nuserdata || m->npluginstate != a->npluginstate)
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
