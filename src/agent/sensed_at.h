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

// For a sample of a sensor that sits there: all but what only its agent knows.
inline SensorView view_of(const SensorSpec& spec, const MountedFrame& mount, const SensedWorld& at, WorldNumber robot,
                          std::uint64_t index) {
  SensorView out;
  out.X_WS = mount.X_WS, out.v_WS_W = mount.v_WS_W;
  out.world = at.world, out.field = at.rays ? &at.rays->field() : nullptr, out.looks = at.rays, out.grid = at.grid;
  out.see_self = spec.see_self, out.rules = at.rules;
  out.key = {at.world->seed(), robot, spec.name, index};
  return out;
}

// Of all entities, where the world's snapshot has them.
inline void rebuild(Grid& grid, const World& world) {
  double largest = 0;
  for (double radius : world.radii()) largest = std::max(largest, radius);
  grid.rebuild(world.snapshot(), world.radii(), std::max(0.5, 2 * largest));
}

}  // namespace convoy
