// foxglove.FrameTransforms in protobuf's wire format, so that common viewers show our poses (schema of
// https://docs.foxglove.dev/docs/sdk/schemas/frame-transforms; encoding of
// https://protobuf.dev/programming-guides/encoding).
//
// Written by hand: recordings do not need the protobuf library.
#pragma once

#include <span>
#include <string_view>

#include "convoy/geometry.h"
#include "convoy/time.h"
#include "core/bytes.h"

namespace convoy {

inline constexpr std::string_view kFrameTransformsName = "foxglove.FrameTransforms";

// The pose of the child frame in the parent frame.
struct FrameTransform {
  std::string_view parent_frame, child_frame;
  Pose X_PC;
};

// Replaces `out` by one FrameTransforms message whose transforms all carry `stamp`.
void encode_frame_transforms(Instant stamp, std::span<const FrameTransform> transforms, Bytes& out);

// The schema data of an MCAP channel of such messages: a google.protobuf.FileDescriptorSet with all that it needs.
Bytes frame_transforms_schema();

}  // namespace convoy
