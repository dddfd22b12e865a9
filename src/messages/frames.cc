#include "messages/frames.h"

#include "messages/geometry.h"

namespace convoy::ros {

std::string sensor_frame(const SensorSpec& spec, const SensorType& type, const RobotFrames& frames) {
  if (!type.traits.placed) return frames.full(frames.base);
  return frames.full(spec.name + (type.traits.pictures ? "_optical_frame" : "_link"));
}

tf2_msgs::msg::TFMessage sensor_frames(std::span<const SensorSpec> sensors, const SensorBook& types,
                                       const RobotFrames& frames, Instant stamp) {
  tf2_msgs::msg::TFMessage out;
  for (const SensorSpec& spec : sensors) {
    const auto type = types.type_of(spec);
    if (!type || !(*type)->traits.placed) continue;
    const std::string link = frames.full(spec.name + "_link");
    const std::string parent = frames.full(spec.link.empty() ? frames.base : spec.link);
    out.transforms.push_back(transform_of({.parent = parent, .child = link}, spec.X_LS, stamp));
    if (!(*type)->traits.pictures) continue;
    const std::string optical = sensor_frame(spec, **type, frames);
    out.transforms.push_back(transform_of({.parent = link, .child = optical}, optical_frame({}), stamp));
  }
  return out;
}

}  // namespace convoy::ros
