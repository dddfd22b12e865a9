// Samples of sensors as viewers read them: Foxglove's messages where it has one of the kind, else those of ROS, and JSON of
// what a robot knows from inside.
//
//   ChannelSchema schema = schema_of(sample.data);
//   encode(sample.data, {stamp, "scout/scan_link"}, bytes);
#pragma once

#include <string_view>
#include <vector>

#include "convoy/time.h"
#include "record/foxglove/schema.h"
#include "sensing/samples.h"

namespace convoy {

// Of that kind; the same whatever the values are.
ChannelSchema schema_of(const SampleData& data);

struct ReadingHeader {
  Instant stamp{};
  std::string_view frame;  // the sensor's own
};

// Replaces `out` by one message. A pose is in the frame that it names; all else in the sensor's frame.
void encode(const SampleData& data, const ReadingHeader& header, Bytes& out);

// What viewers want beside a sample's own message, on channels of their own behind its topic: of a camera its calibration,
// "calibration", and each image after the first, by its name, as encode() has images.
struct Companion {
  const char* name;
  FoxgloveMessage kind;
  Bytes message;
};
std::vector<Companion> companions_of(const SampleData& data, const ReadingHeader& header);

}  // namespace convoy
