// The topics on which a sensor's samples are published, and how a sample becomes the bytes of each: for who knows no
// message's C++ type.
//
//   for (const SampleTopic& topic : topics_of(spec, type, frames))
//     if (topic.encode(sample, stamp, cdr)) writer_of(topic.name, topic.type).write(cdr);
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "convoy/result.h"
#include "convoy_ros_types/type_support.h"
#include "messages/frames.h"
#include "sensing/sensor.h"

namespace convoy::ros {

struct SampleTopic {
  std::string name;  // below the robot's namespace: "scan", "front/image_raw"
  TypeSupport type;
  std::string frame;  // sensor_frame()
  // Replaces `cdr` by the message, with its header of four bytes, stamped so. kInvalid, and `cdr` is empty: the sample is of
  // another kind, or has no such image. From any thread.
  std::function<Status(const Sample& sample, Instant stamp, std::vector<std::uint8_t>& cdr)> encode;
};

// One topic of the sensor's name; of a camera image_raw, depth, instances and classes as its spec takes them, and
// camera_info, behind it. None: the type is like none of Convoy's, or a camera's parameters cannot be read.
std::vector<SampleTopic> topics_of(const SensorSpec& spec, const SensorType& type, const RobotFrames& frames);

}  // namespace convoy::ros
