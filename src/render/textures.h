// Pictures of materials on the graphics card.
#pragma once

#include <array>

#include "render/gl.h"
#include "render/light.h"
#include "shapes/shapes.h"

namespace convoy::render {

// With its smaller copies, whose means are taken in linear light, so that a far checkerboard is as bright as a near one.
GLuint upload(const Gl& gl, const Texture& texture);
Rgb mean_of(const Texture& texture);  // in linear light

}  // namespace convoy::render
