// Triangles as the graphics card takes them: of primitives in unit size, of meshes and of terrain.
//
// Round primitives are coarse: the shader moves each pixel from the triangle onto the exact surface. So triangles decide
// the silhouette alone, and how many there are depends on how large it is in the picture.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "shapes/shapes.h"

namespace convoy::render {

struct Corner {
  std::array<float, 3> p{};     // times the instance's scale: in S, m
  float shift = 0;              // -1 or 1: along z by the instance's stretch, too
  std::array<float, 3> flat{};  // of the triangle's plane, of length 1; 0 where nobody needs to know it exactly
  std::array<float, 3> n{};     // to shade by, of length 1
  std::array<float, 2> uv{};
};

struct Geometry {
  std::vector<Corner> corners;
  std::vector<std::uint32_t> indices;  // empty: each three corners are a triangle
};

// Of fineness, by sides around.
inline constexpr std::array<std::uint32_t, 10> kSides{4, 8, 12, 16, 24, 32, 48, 64, 96, 128};
inline constexpr std::uint32_t kLevels = kSides.size();
// The coarsest level whose silhouette is right to 0.3 pixels, of a shape of that radius in pixels.
std::uint32_t level_for(double radius_px);

Geometry unit_box();
Geometry unit_plane();                        // from -1 to 1, at z = 0
Geometry unit_ball(std::uint32_t level);      // radius 1
Geometry unit_cylinder(std::uint32_t level);  // radius 1, from -1 to 1
Geometry unit_capsule(std::uint32_t level);   // a ball whose halves are `shift` apart
// Smooth where its triangles meet at a small angle.
Geometry geometry_of(const Mesh& mesh);
Geometry geometry_of(const Terrain& terrain);

}  // namespace convoy::render
