#include "physics/mujoco/walls.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "physics/mujoco/numbers.h"

namespace convoy::mujoco {

namespace {

constexpr int kAllContacts = 0x7fffffff;  // walls touch whatever touches anything

bool is_plane(const GhostGeom& geom) { return geom.type == mjGEOM_PLANE; }

double distance_to(const BoundingBox& box, const Pose& X_WG, const Vec3& p) {
  const Vec3 at = (X_WG.inverse() * Pose{p, {}}).p;
  const auto beyond = [](double x, double low, double high) { return std::max({low - x, x - high, 0.0}); };
  return norm(
      {beyond(at.x, box.low.x, box.high.x), beyond(at.y, box.low.y, box.high.y), beyond(at.z, box.low.z, box.high.z)});
}

}  // namespace

Result<std::shared_ptr<const Walls>> Walls::of_map(std::shared_ptr<const StaticMap> map) {
  if (!map || map->empty()) return nullptr;
  auto boxes = map_boxes(*map);
  if (!boxes) return tl::unexpected(boxes.error());
  auto out = std::make_shared<Walls>();
  out->key_ = map->hash(), out->map_ = std::move(map), out->boxes_ = std::move(*boxes);
  return out;
}

std::shared_ptr<const Walls> Walls::of_world(const mjModel* m, std::uint64_t key) {
  auto out = std::make_shared<Walls>();
  out->key_ = key;
  std::vector<Pose> X_WB(static_cast<std::size_t>(m->nbody));
  for (int b = 0; b < m->nbody; ++b) {
    if (m->body_weldid[b] != 0) continue;
    Pose& X = X_WB[static_cast<std::size_t>(b)];
    if (b > 0)
      X = X_WB[static_cast<std::size_t>(m->body_parentid[b])] *
          Pose{vec(m->body_pos + 3 * b), quat(m->body_quat + 4 * b)};
    for (int g = m->body_geomadr[b]; g >= 0 && g < m->body_geomadr[b] + m->body_geomnum[b]; ++g)
      if (is_solid(m, g) || is_ground(m, g)) out->walls_.push_back(wall_of(m, g, X));
  }
  for (const Wall& wall : out->walls_)
    out->has_ground_ = out->has_ground_ || is_plane(wall.geom) || !wall.field.data.empty();
  return out;
}

Walls::Wall Walls::wall_of(const mjModel* m, int g, const Pose& X_WB) {
  Wall out;
  out.geom = geom_of(m, g, X_WB * Pose{vec(m->geom_pos + 3 * g), quat(m->geom_quat + 4 * g)});
  out.contype = m->geom_contype[g], out.conaffinity = m->geom_conaffinity[g];
  if (const char* name = mj_id2name(m, mjOBJ_GEOM, g)) out.name = name;
  if (is_plane(out.geom)) return out;
  const Vec3 center = vec(m->geom_aabb + 6 * g), half = vec(m->geom_aabb + 6 * g + 3);
  out.box.add(center - half), out.box.add(center + half);
  if (const int h = m->geom_dataid[g]; out.geom.type == mjGEOM_HFIELD && h >= 0) {
    std::copy_n(m->hfield_size + 4 * h, 4, out.field.size.begin());
    out.field.rows = m->hfield_nrow[h], out.field.columns = m->hfield_ncol[h];
    const float* from = m->hfield_data + m->hfield_adr[h];
    out.field.data.assign(from, from + out.field.rows * out.field.columns);
  }
  return out;
}

bool Walls::near(const Outline& outline, double dt, double margin) const {
  const double reach = outline.radius + dt * outline.drift + margin;
  if (map_) {
    const Vec2 at = map_->to_map(outline.p.x, outline.p.y);
    return map_->clearance(at.x, at.y) <= reach;
  }
  return std::any_of(walls_.begin(), walls_.end(), [&](const Wall& wall) {
    const Pose& X = wall.geom.X_BG;
    const double room = reach + std::max(0.0, wall.geom.margin);
    if (is_plane(wall.geom)) return dot(rotate(X.q, {0, 0, 1}), outline.p - X.p) <= room;
    return distance_to(wall.box, X, outline.p) <= room;
  });
}

void Walls::add(mjSpec* spec, mjsBody* body) const {
  add_boxes(spec, body);
  for (std::size_t i = 0; i < walls_.size(); ++i)
    add_wall(spec, body, walls_[i],
             kWorldPrefix + (walls_[i].name.empty() ? fmt::format("geom_{}", i) : walls_[i].name));
  if (spec->memory > 0) spec->memory += kArenaForOne;
}

void Walls::add_boxes(mjSpec* spec, mjsBody* body) const {
  if (!map_) return;
  const double half = wall_height(map_->data()) / 2;
  const Vec2 x = map_->x_axis(), at = map_->to_world(0, 0);
  const Pose X_WM{{at.x, at.y, 0}, about_z(x.x, x.y)};
  for (std::size_t i = 0; i < boxes_.size(); ++i) {
    const MapBox& box = boxes_[i];
    GhostGeom geom;
    geom.X_BG = X_WM * Pose{{(box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2, half}, {}};
    geom.size = {(box.x1 - box.x0) / 2, (box.y1 - box.y0) / 2, half};
    add_geom(spec, body, geom, fmt::format("convoy:map:{}", i), kAllContacts, kAllContacts);
  }
}

void Walls::add_wall(mjSpec* spec, mjsBody* body, const Wall& wall, const std::string& name) {
  mjsGeom* geom = add_geom(spec, body, wall.geom, name, wall.contype | kPassive, wall.conaffinity);
  if (wall.field.data.empty()) return;
  mjsHField* field = mjs_addHField(spec);
  mjs_setName(field->element, name.c_str());
  std::copy(wall.field.size.begin(), wall.field.size.end(), field->size);
  field->nrow = wall.field.rows, field->ncol = wall.field.columns;
  mjs_setFloat(field->userdata, wall.field.data.data(), static_cast<int>(wall.field.data.size()));
  mjs_setString(geom->hfieldname, name.c_str());
}

}  // namespace convoy::mujoco
