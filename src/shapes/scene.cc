#include "shapes/scene.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "shapes/map_boxes.h"
#include "world/state.h"

namespace convoy {

namespace {

constexpr Color kGroundColor{120, 124, 122, 255}, kWallColor{186, 190, 196, 255}, kBoxColor{150, 142, 128, 255};

Shape upright_box(const Pose& X, double length, double width, double height, const Color& color) {
  Shape out;
  out.kind = Shape::Kind::kBox, out.size = {length / 2, width / 2, height / 2};
  out.X_LS = X * Pose{{0, 0, height / 2}, {}};
  out.color = color;
  return out;
}

// Cells that are solid by themselves, and not for what was painted onto them.
std::vector<char> own_walls(const StaticMap& map, const Scenery& scenery) {
  std::vector<char> cells;
  if (scenery.inside_of_walls)
    for (const std::uint8_t cell : map.data().cells) cells.push_back(cell != 0);
  else cells = shell_of(map);
  MapData painted = map.data();
  std::fill(painted.cells.begin(), painted.cells.end(), std::uint8_t{0});
  for (const BoxShape& box : scenery.boxes) paint(painted, box);
  for (const CylinderShape& cylinder : scenery.cylinders) paint(painted, cylinder);
  for (std::size_t i = 0; i < cells.size(); ++i)
    if (painted.cells[i] != 0) cells[i] = 0;
  return cells;
}

Status add_walls(Shapes& out, const Scenery& scenery) {
  if (!scenery.map || scenery.map->cells.empty()) return {};
  auto map = StaticMap::make(*scenery.map);
  if (!map) return tl::unexpected(map.error());
  const MapOrigin& origin = map->data().origin;
  const Pose X_WM{{origin.x, origin.y, 0}, from_yaw(origin.yaw)};
  for (const MapBox& box : merged(own_walls(*map, scenery), map->data().width, map->data().resolution,
                                  std::numeric_limits<std::size_t>::max())) {
    const Pose X_MB{{(box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2, 0}, {}};
    out.shapes.push_back(upright_box(X_WM * X_MB, box.x1 - box.x0, box.y1 - box.y0, scenery.wall_height, kWallColor));
  }
  return {};
}

void add_ground(Shapes& out) {
  Shape plane;
  plane.name = "ground", plane.kind = Shape::Kind::kPlane, plane.color = kGroundColor;
  out.shapes.push_back(plane);
}

}  // namespace

Scenery scenery_of(const Setup& setup, const Model* world) {
  return {&setup.map, setup.boxes, setup.cylinders, wall_height(setup.map), false, world};
}

Result<Shapes> shapes_of_scene(const Scenery& scenery, const ModelFiles& files) {
  Shapes out;
  if (scenery.world) {
    auto world = shapes_of(*scenery.world, files);
    if (!world) return world;
    out = still_part(std::move(*world));
  } else {
    out.fixed_base = true;
    Link link;
    link.name = "world", link.base = Link::Base::kPlace;
    out.links.push_back(std::move(link));
    add_ground(out);
    for (const BoxShape& b : scenery.boxes)
      out.shapes.push_back(upright_box({{b.x, b.y, 0}, from_yaw(b.yaw)}, b.length, b.width, b.height, kBoxColor));
    for (const CylinderShape& c : scenery.cylinders) {
      Shape shape;
      shape.kind = Shape::Kind::kCylinder, shape.size = {c.radius, c.height / 2, 0};
      shape.X_LS.p = {c.x, c.y, c.height / 2}, shape.color = kBoxColor;
      out.shapes.push_back(shape);
    }
  }
  out.category = "scene";
  if (out.links.empty()) out.links.push_back({"world", Link::Base::kPlace, kNoPart, 0, {}, {}});
  if (auto ok = add_walls(out, scenery); !ok) return tl::unexpected(ok.error());
  return out;
}

}  // namespace convoy
