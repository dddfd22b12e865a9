// What the pieces of one door have in common: whom they act for, and what they count.
#pragma once

#include "adapters/ros2/domain.h"
#include "adapters/ros2/obstacle.h"
#include "adapters/ros2/settings.h"
#include "control/control_core.h"
#include "core/ports.h"
#include "sensing/sensor.h"
#include "shapes/shape_book.h"

namespace convoy::ros2 {

class RobotImporter;

inline constexpr const char* kRunNotBegun = "the run has not begun";

// Commands that were dropped.
struct DoorCounts {
  std::uint64_t not_finite = 0;
  std::uint64_t leased = 0;  // another than the sender has the robot
  std::uint64_t unknown_joint = 0;
  std::uint64_t wrong_length = 0;  // an array has another length than the names that it is about
  std::uint64_t too_large = 0;     // for what a tick can hold
  std::uint64_t own = 0;           // written by this run itself
};

// Whom the door's callbacks act for.
struct DoorHere {
  Domain& domain;
  Party party;
  control::ControlCore& control;
  const Settings& settings;
  DoorCounts& counts;
  Log& log;
  const Fleet* fleet = nullptr;       // while a call from the host is under way
  Moment now{};                       // as the host's clock was read last
  ShapeBook shapes{};                 // of models, read once each
  ObstacleLooks obstacles{};          // of the same, and of the world
  SensorBook sensors{};               // types of sensors, users' too
  RobotImporter* importer = nullptr;  // none: descriptions of robots are not read here
};

// Simulated time where the robots are now; there is a fleet.
inline Instant instant_of(const DoorHere& here) {
  return instant(here.control.position().tick * nanos(here.fleet->tick())) + here.fleet->reached();
}
// Where they will be after the step that begins.
inline Instant end_of_step(const DoorHere& here) {
  return instant_of(here) + (here.control.position().lockstep ? here.fleet->tick() : physics_step(*here.fleet));
}

}  // namespace convoy::ros2
