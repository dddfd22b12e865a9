#include "agent/scene.h"

#include <algorithm>
#include <set>

namespace convoy {

namespace {

// Can this machine cast the rays of the setup's sensors?
Status check_rays(const Setup& setup, const RayCasters* casters, const SensorBook& types) {
  const auto [robot, sensor] = first_that(setup.entities, types, &SensorTraits::rays);
  if (!sensor) return {};
  const std::string who = "the sensor '" + sensor->name + "' casts rays";
  if (!casters) return fail(ErrorCode::kUnsupported, who + ", which this build cannot: it has no Embree", robot->name);
  const auto made = casters->make(setup.sensors.isa);
  return made ? Status{} : fail(made.error().code, who + ": " + made.error().text, robot->name);
}

// Can it draw what the setup's cameras take?
Status check_pictures(const Setup& setup, PictureMaker* maker, const SensorBook& types) {
  const auto [robot, sensor] = first_that(setup.entities, types, &SensorTraits::pictures);
  if (!sensor || !pictures_count(setup)) return {};
  const std::string who = "the sensor '" + sensor->name + "' takes pictures";
  if (!maker) return fail(ErrorCode::kUnsupported, who + ", which this build cannot: it has no renderer", robot->name);
  const auto made = maker->fingerprint();
  return made ? Status{} : fail(made.error().code, who + ": " + made.error().text, robot->name);
}

}  // namespace

bool pictures_count(const Setup& setup) {
  const bool inside = setup.sensors.digest || std::any_of(setup.entities.begin(), setup.entities.end(),
                                                          [](const EntitySpec& e) { return !e.components.empty(); });
  return inside && first_that(setup.entities, SensorBook(), &SensorTraits::pictures).sensor;
}

Result<std::uint64_t> renderer_of(PictureMaker* pictures) {
  if (!pictures) return fail(ErrorCode::kUnsupported, "this build has no renderer");
  return pictures->fingerprint();
}

Result<std::unique_ptr<Scene>> Scene::make(const Setup& setup, const AgentParts& parts) {
  const SensorBook types(parts.sensors);
  if (auto ok = check_pictures(setup, parts.pictures, types); !ok) return tl::unexpected(ok.error());
  if (auto ok = check_rays(setup, parts.rays, types); !ok) return tl::unexpected(ok.error());
  auto world = World::make(setup);
  if (!world) return tl::unexpected(world.error());
  std::unique_ptr<Scene> out(new Scene(std::move(*world)));
  std::set<std::uint32_t> models;
  for (const Entity& entity : out->world_.entities()) models.insert(entity.model);
  for (std::uint32_t model : models)
    if (const Preparation prepare = parts.physics->prepare(*out->world_.models()[model], out->world_))
      out->prepared_.push_back(prepare());
  return out;
}

}  // namespace convoy
