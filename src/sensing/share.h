// What a sensor asks of machines: where it may sample, and how much of one that takes.
#pragma once

#include "sensing/sensor.h"
#include "world/sensor_rules.h"

namespace convoy {

struct Share {
  Distribution distribution = Distribution::kMainOnly;
  std::uint16_t load = kWholeLoad / 2;
  bool may_leave() const { return distribution != Distribution::kMainOnly; }
};

// As it says itself, else as the scenario says of its type; kMainOnly where neither does, and where one of Convoy's types
// needs what only its robot's machine has. The load is that of its type if nobody says it, a half for types of libraries,
// which only hosts load.
Share share_of(const SensorSpec& spec, const SensorRules& rules);

}  // namespace convoy
