// A shape as triangles, for what draws: pictures, pages, exported files. Rays meet the exact shape (sensing).
#pragma once

#include "shapes/shapes.h"

namespace convoy {

struct Tessellation {
  std::uint32_t around = 24;  // sides of what is round, at least 3
  double endless = 50;        // m; half of an edge of a plane without end
};

// In S, counter-clockwise seen from outside. A shape of a mesh gives that mesh.
Mesh triangles_of(const Shape& shape, const Shapes& all, const Tessellation& how = {});

// The triangles of a mesh or terrain, in S: those that rays meet. Of terrain its upper side, exactly.
std::vector<std::array<Vec3, 3>> surface_of(const Shape& shape, const Shapes& all);

// Can a smooth surface be shown by taking the corners' places, in S, as the source of their normals? Not of boxes,
// planes, terrain and meshes.
bool is_round(Shape::Kind kind);

}  // namespace convoy
