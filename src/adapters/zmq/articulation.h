// A robot in the replies of calls, as JSON: its description, its values, and what a step or a reset answers.
#pragma once

#include "adapters/zmq/call.h"
#include "sensing/camera.h"

namespace convoy::zmq {

// As in the reply to a hello.
Json describe(const control::RobotEntry& robot);
Json show(control::Bodies& bodies, const Fleet& fleet, const control::RobotEntry& robot, control::Level level);

// What a camera shows: its lens, and its images as bytes, row by row from the top, little-endian.
Json show(const CameraReading& picture);

// The cameras of the field include_cameras: true, for all of these robots, or names, "camera" or "robot/camera".
Checked<std::vector<CameraName>> read_cameras(const Call& call, std::span<const WorldNumber> robots);
// What they show where the world stands, by robot and name; of robots that have gone nothing.
Checked<Json> pictures(control::ControlCore& control, const Fleet& fleet, std::span<const CameraName> cameras);

// What an answer shows, as the request wants it.
struct ObservationRequest {
  control::Level level = control::Level::kStandard;
  bool packed = false;
  std::vector<WorldNumber> robots;
  std::vector<CameraName> cameras{};
};
Checked<ObservationRequest> read_shown(const Call& call);
// Time, and the robots.
control::Done observation(const Call& call, ObservationRequest shown);

// For all replies that report the time of the world.
double time_of(const control::ControlCore& control, const Fleet& fleet);  // s

}  // namespace convoy::zmq
