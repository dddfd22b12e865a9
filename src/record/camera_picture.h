// What a camera has taken, for people to look at.
#pragma once

#include "core/bytes.h"
#include "sensing/camera.h"

namespace convoy {

// Its images beside one another, as PNG: colour as it is, depth from red (near) to blue (far), who and what in colours of
// their own, nothing in black.
Bytes draw_camera_png(const CameraReading& reading);

}  // namespace convoy
