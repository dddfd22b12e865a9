// A robot in the replies of calls, as JSON: its description, its values, and what a step or a reset answers.
#pragma once

#include "adapters/zmq/call.h"

namespace convoy::zmq {

// As in the reply to a hello.
Json describe(const control::RobotEntry& robot);
Json show(control::Bodies& bodies, const Fleet& fleet, const control::RobotEntry& robot, control::Level level);

// What an answer shows, as the request wants it.
struct ObservationRequest {
  control::Level level = control::Level::kStandard;
  bool packed = false;
  std::vector<WorldNumber> robots;
};
Checked<ObservationRequest> read_shown(const Call& call);
// Time, and the robots.
control::Done observation(const Call& call, ObservationRequest shown);

// For all replies that report the time of the world.
double time_of(const control::ControlCore& control, const Fleet& fleet);  // s

}  // namespace convoy::zmq
