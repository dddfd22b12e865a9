// What a robot's sensors may see at a boundary of its world, as far as it takes neither rays, nor pictures, nor what the
// robot knows from inside: enough to say where they are.
#pragma once

#include "agent/agent_sensors.h"
#include "world/world.h"

namespace convoy {

inline SensedWorld sensed_at(const World& world, Slot slot, Instant now, Duration tick) {
  return {.now = now,
          .tick = tick,
          .world = &world,
          .slot = slot,
          .state = &world.snapshot().state(slot),
          .joints = world.joints(slot)};
}

}  // namespace convoy
