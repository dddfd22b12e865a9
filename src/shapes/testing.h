// For tests of meshes.
#pragma once

#include "shapes/shapes.h"

namespace convoy {

// m^3 that its triangles enclose, if they are turned outwards.
inline double volume(const Mesh& mesh) {
  double out = 0;
  for (std::size_t i = 0; i < mesh.triangle_count(); ++i) {
    const auto t = mesh.triangle(i);
    out += dot(mesh.corner(t[0]), cross(mesh.corner(t[1]), mesh.corner(t[2]))) / 6;
  }
  return out;
}

}  // namespace convoy
