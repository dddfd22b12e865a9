// A sensor's spec read as that of a camera.
#pragma once

#include <optional>

#include "sensing/camera.h"

namespace convoy {

// Nothing: it is none of Convoy's cameras, or its parameters cannot be read.
inline std::optional<CameraModel> camera_of(const SensorSpec& spec) {
  CameraModel model;
  if (spec.type != "camera" || !spec.library.empty()) return {};
  if (!spec.parameters.empty() && !load(spec.parameters, model)) return {};
  return model;
}

}  // namespace convoy
