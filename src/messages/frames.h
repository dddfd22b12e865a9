// The names of a robot's frames, and where its sensors' are.
//
// REP-105: `odom`, in which its wheels make the robot believe it is, and its base in it. A sensor is in `<name>_link`, a
// camera's pictures in `<name>_optical_frame` (REP-103: x right, y down, z forward) besides.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <tf2_msgs/msg/tf_message.hpp>

#include "convoy/time.h"
#include "sensing/sensor.h"

namespace convoy::ros {

inline constexpr const char* kBaseFrame = "base_footprint";
inline constexpr const char* kOdomFrame = "odom";

struct RobotFrames {
  std::string base = kBaseFrame;
  // Before each of the robot's own names, where all robots share one /tf: "scout/". Empty: the names alone. Frames of the
  // world ("map", "world") have none.
  std::string prefix{};

  std::string full(std::string_view name) const { return prefix + std::string(name); }
};

// In which the samples of a sensor are, prefix and all. Of one that is nowhere on its robot: the base.
std::string sensor_frame(const SensorSpec& spec, const SensorType& type, const RobotFrames& frames);

// For /tf_static: each sensor that has a place, in its link or the base, and each camera's optical frame. `types`: those
// that there are; a sensor of another type is left out.
tf2_msgs::msg::TFMessage sensor_frames(std::span<const SensorSpec> sensors, const SensorBook& types,
                                       const RobotFrames& frames, Instant stamp);

}  // namespace convoy::ros
