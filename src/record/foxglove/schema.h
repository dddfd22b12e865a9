// What a channel's messages are: the name and description that readers of the file find there.
//
// Of Foxglove's own (https://docs.foxglove.dev/docs/sdk/schemas) the description is a google.protobuf.FileDescriptorSet
// with all that the message needs; of ROS' it is the text of its definition, with those that it needs.
#pragma once

#include <string>

#include "core/bytes.h"

namespace convoy {

struct ChannelSchema {
  std::string name;              // "foxglove.Grid"
  std::string encoding;          // of the description: "protobuf", "ros2msg"
  std::string message_encoding;  // "protobuf", "cdr"
  Bytes data;
};

enum class FoxgloveMessage {
  kFrameTransforms,
  kSceneUpdate,
  kGrid,
  kLaserScan,
  kPointCloud,
  kLocationFix,
  kPoseInFrame,
  kCompressedImage,
  kCameraCalibration,
  kLog
};

ChannelSchema schema_of(FoxgloveMessage message);

}  // namespace convoy
