// A lens that bends: its picture is taken from a wider one of a pinhole.
#pragma once

#include "convoy/result.h"
#include "render/scene.h"

namespace convoy::render {

// The pinhole's view that holds all that the lens sees. kInvalid: the lens bends so much that its picture has no inner
// and outer side, or that a pinhole's picture would be too large.
Result<View> wider(const View& view);

// Colour between four pixels, depth and ids of the nearest one. A pixel that no ray reaches is black and shows nothing.
Picture resampled(const Picture& wide, const View& wide_view, const View& view);

}  // namespace convoy::render
