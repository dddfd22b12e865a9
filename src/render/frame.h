// What all programs know of a picture: the block of uniforms, byte by byte as GLSL's std140 lays it out, and the squares
// of its shadow maps.
#pragma once

#include <array>

#include "render/batches.h"
#include "render/light.h"
#include "render/scene.h"
#include "render/shaders.h"

namespace convoy::render {

using Float4 = std::array<float, 4>;
using Matrix = std::array<Float4, 4>;  // by columns

struct Frame {
  Matrix clip{};
  Float4 ray_0{}, ray_x{}, ray_y{};
  Float4 to_sun{}, sun{}, sky{}, below{}, zenith{}, horizon{}, eye{}, weather{};
  std::array<Matrix, kCascades> shadow{};
  Float4 texel{};
  Float4 zenith_root{}, horizon_root{};
};

// Without shadows. `first_x`, `first_y`: where in the target the picture begins, pixels.
Frame frame_of(const View& view, const Scene& scene, const Light& light, int first_x, int first_y);

// Squares of so many maps of that many pixels a side, which together hold what is near in the view.
std::vector<ShadowSquare> shadow_squares(const View& view, const Light& light, unsigned cascades, unsigned side);
// V to the map: x, y and depth from 0 to 1.
Matrix shadow_matrix(const ShadowSquare& square, const Vec3& eye);
// The same as clip coordinates.
Matrix clip_of(const Matrix& shadow);

}  // namespace convoy::render
