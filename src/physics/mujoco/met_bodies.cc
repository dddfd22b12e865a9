// Ghosts as other engines are shown them.
#include "physics/mujoco/factory.h"
#include "physics/mujoco/ghosts.h"
#include "physics/mujoco/library.h"
#include "physics/mujoco/numbers.h"

namespace convoy::mujoco {

namespace {

// False: it is nothing that others know (a plane, a height field).
bool show(const GhostGeom& geom, MetShape& out) {
  out.X_BS = geom.X_BG, out.friction = geom.friction[0];
  out.size = {geom.size[0], geom.size[1], geom.size[2]};
  switch (geom.type) {
    case mjGEOM_SPHERE: return out.kind = MetShape::Kind::kSphere, true;
    case mjGEOM_CAPSULE: return out.kind = MetShape::Kind::kCapsule, true;
    case mjGEOM_ELLIPSOID: return out.kind = MetShape::Kind::kEllipsoid, true;
    case mjGEOM_CYLINDER: return out.kind = MetShape::Kind::kCylinder, true;
    case mjGEOM_BOX: return out.kind = MetShape::Kind::kBox, true;
    case mjGEOM_MESH: break;
    default: return false;
  }
  out.kind = MetShape::Kind::kHull;
  for (std::size_t i = 0; i + 2 < geom.vertices.size(); i += 3)
    out.corners.push_back({geom.vertices[i], geom.vertices[i + 1], geom.vertices[i + 2]});
  return !out.corners.empty();
}

}  // namespace

void Factory::add_bodies(const Neighbour& neighbour, const ModelFiles* files, std::vector<MetBody>& out) const {
  if (neighbour.attached || !files) return;
  const Model& model = *neighbour.model;
  if (model.files.empty() && neighbour.carried.empty()) return add_footprint(neighbour, out);
  const auto kind = library_->kind(model, *files, neighbour.held, neighbour.carried);
  library_->keep(kind);  // other engines' robots hold none
  std::vector<GhostMotion> motions;
  find_motions(*kind, neighbour, 0, motions);
  const std::size_t wrench = joints_size(model);
  for (std::size_t i = 0; i < motions.size(); ++i) {
    const GhostBody& ghost = kind->bodies[i];
    MetBody& body = out.emplace_back();
    body.number = neighbour.number, body.X_WB = {motions[i].X_WB.p, unit(motions[i].X_WB.q)};
    body.v_WB_W = motions[i].v_WB_W, body.free = ghost.free, body.passive = ghost.passive;
    body.mass = ghost.mass, body.com = ghost.com, body.inertia = ghost.inertia;
    if (ghost.free && !ghost.passive && neighbour.tail.size() == wrench + kWrenchSize)
      body.force = vec(neighbour.tail.data() + wrench), body.torque = vec(neighbour.tail.data() + wrench + 3);
    std::vector<Pose> places;
    if (ghost.posed) {
      const GhostBody now = pose_of(*kind, i, neighbour);
      body.mass = now.mass, body.com = now.com, body.inertia = now.inertia;
      for (const GhostGeom& geom : now.geoms) places.push_back(geom.X_BG);
    }
    for (std::size_t g = 0; g < ghost.geoms.size(); ++g) {
      MetShape shape;
      if (!show(ghost.geoms[g], shape)) continue;
      if (g < places.size()) shape.X_BS = places[g];
      body.shapes.push_back(std::move(shape));
    }
  }
}

}  // namespace convoy::mujoco
