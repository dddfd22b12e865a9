#include "agent/fleet_rays.h"

#include <algorithm>

namespace convoy {

std::shared_ptr<const Shapes> FleetRays::shapes_of(const std::shared_ptr<const Model>& model, const ModelFiles& files) {
  auto shapes = shapes_.of(model, files);
  return shapes ? std::move(*shapes) : nullptr;
}

void FleetRays::begin(const std::vector<std::unique_ptr<Agent>>& agents, const World& world, const Setup& setup,
                      Instant now, const SampleTaker* taker) {
  field_ = nullptr;
  const bool casts =
      casters_ && std::any_of(agents.begin(), agents.end(), [&](const auto& agent) {
        const Equipment& equipment = agent->equipment();
        return equipment.sensors && equipment.sensors->casts_at(now, setup.tick, equipment.nodes.get(), taker);
      });
  if (casts) field_ = cast_for(world, setup);
}

const RayWorld* FleetRays::cast_for(const World& world, const Setup& setup) {
  if (!world_) {
    auto caster = casters_ ? casters_->make(setup.sensors.isa) : fail(ErrorCode::kUnsupported, "");
    if (!caster) return nullptr;  // Scene::make() has refused a run that needs some
    caster_ = std::move(*caster);
    world_ = std::make_unique<RayWorld>(*caster_, shapes_, world, setup);
  }
  world_->at(world);
  return world_.get();
}

}  // namespace convoy
