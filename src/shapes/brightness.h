// How much of the light that meets a shape comes back: what scanners tell as an intensity.
#pragma once

#include "shapes/shapes.h"

namespace convoy {

// Of its colour the luma (Rec. 709) on sRGB's own scale, at least what its material reflects; 0 to 1. Textures do not
// count.
double brightness_of(const Shape& shape, const Shapes& shapes);

}  // namespace convoy
