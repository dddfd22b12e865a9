// What a fleet's sensors share: their types with all they have made ready, and the rays, cast in the world of each boundary
// at which one of its agents needs it.
#pragma once

#include <memory>
#include <vector>

#include "agent/agent.h"
#include "sensing/ray_world.h"

namespace convoy {

class FleetRays {
 public:
  // Null: this host casts none.
  // `users`: types of libraries; null: there are none.
  explicit FleetRays(const RayCasters* casters, UsersSensors* users = nullptr) : casters_(casters), sensors_(users) {}

  SensorBook& sensors() { return sensors_; }
  ShapeBook& shapes() { return shapes_; }
  // Null if it is damaged.
  std::shared_ptr<const Shapes> shapes_of(const std::shared_ptr<const Model>& model, const ModelFiles& files);
  // The tick that begins now: makes the field if one of them casts.
  void begin(const std::vector<std::unique_ptr<Agent>>& agents, const World& world, const Setup& setup, Instant now,
             const SampleTaker* taker);
  // For who asks between ticks; null: this host casts none.
  const RayWorld* cast_for(const World& world, const Setup& setup);
  // Of the tick in progress; null: nobody casts.
  const RayWorld* field() const { return field_; }

 private:
  const RayCasters* casters_;
  ShapeBook shapes_;
  SensorBook sensors_;
  std::unique_ptr<RayCaster> caster_;
  std::unique_ptr<RayWorld> world_;  // from the first cast on
  const RayWorld* field_ = nullptr;
};

}  // namespace convoy
