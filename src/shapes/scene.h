// The look of what never moves: the ground, a map's walls, boxes and cylinders, or an MJCF world.
#pragma once

#include <vector>

#include "convoy/result.h"
#include "shapes/shapes.h"
#include "world/setup.h"
#include "world/static_map.h"

namespace convoy {

struct Scenery {
  const MapData* map = nullptr;  // null: none
  std::span<const BoxShape> boxes;
  std::span<const CylinderShape> cylinders;
  double wall_height = 0;        // m; of the map's solid cells
  bool inside_of_walls = false;  // cells that nobody can come near are there too
  const Model* world = nullptr;  // the model of an MJCF world (kWorldModel), whose boxes `boxes` holds; null: none
};
// Of a run; `world`: the model of its MJCF world, null if it has none.
Scenery scenery_of(const Setup& setup, const Model* world);

// One link, "world", in W. An MJCF world's own shapes stand for its boxes. Without a world, the ground is a plane at
// height 0 without end, and the map's cells, but for those under a box or cylinder, are upright boxes of the wall's
// height. What of a world moves is its objects', not the scene's.
Result<Shapes> shapes_of_scene(const Scenery& scenery, const ModelFiles& files);

}  // namespace convoy
