// Who takes samples of sensors beside their robots' own nodes: recorders, and gateways for programs outside.
//
// What it takes is computed and delivered as if a node did; the digest does not know it.
#pragma once

#include "convoy/ids.h"
#include "sensing/samples.h"
#include "world/sensor_spec.h"

namespace convoy {

class World;

struct DueSample {
  std::uint64_t index = 0;
  Duration period{0};  // to the next one, as it is by now
};

class SampleTaker {
 public:
  virtual ~SampleTaker() = default;
  // Robots are those of this world, from the boundary at hand on: before a tick begins, from one thread.
  virtual void follow(const World&) {}
  // Its sample that is due? Asked by several threads; the same answer all through a tick.
  virtual bool takes(WorldNumber robot, const SensorSpec& sensor, const DueSample& due) const = 0;
  // It is delivered at that instant. From one thread, by robots and in the order of their deliveries.
  virtual void took(WorldNumber robot, const SensorSpec& sensor, const Sample& sample, Instant now) = 0;
};

}  // namespace convoy
