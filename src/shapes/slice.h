// A scene cut level at a height, as cells of a map.
#pragma once

#include <span>

#include "shapes/scene.h"
#include "shapes/shapes.h"
#include "world/static_map.h"

namespace convoy {

// Marks as occupied any cell that a shape overlaps at that height (m, in W) by more than a nanometre, or whose middle is
// within it. Shapes that are neither seen nor solid do not count, nor do planes; terrain is solid below its surface.
// Round shapes are polygons of 64 sides.
void paint_slice(MapData& map, const Shapes& shapes, std::span<const Pose> X_WL, double height);

// The map of a scene at a height, with cells of that size (0: those of the scene's own map), over the ground that the
// scene's map covers; of an MJCF world its own shapes. Where that map has unknown cells and the size is the same, they
// stay unknown. Errors: the scene has no map or ground, or would have too many cells.
Result<MapData> map_of_scene(const Scenery& scenery, const ModelFiles& files, double height, double resolution);

}  // namespace convoy
