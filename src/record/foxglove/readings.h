// Samples of sensors as viewers read them: Foxglove's messages where it has one of the kind, else those of ROS, and JSON of
// what a robot knows from inside.
//
//   ChannelSchema schema = schema_of(sample.data);
//   encode(sample.data, {stamp, "scout/scan_link"}, bytes);
#pragma once

#include <string_view>

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

}  // namespace convoy
