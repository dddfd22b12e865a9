// foxglove.FrameTransforms: where frames are in others.
#pragma once

#include <span>
#include <string_view>

#include "convoy/geometry.h"
#include "convoy/time.h"
#include "core/bytes.h"

namespace convoy {

// The pose of the child frame in the parent frame.
struct FrameTransform {
  std::string_view parent_frame, child_frame;
  Pose X_PC;
};

// Replaces `out` by one message whose transforms all carry `stamp`.
void encode_frame_transforms(Instant stamp, std::span<const FrameTransform> transforms, Bytes& out);

}  // namespace convoy
