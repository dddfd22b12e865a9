#include "agent/scene.h"

#include <set>

namespace convoy {

namespace {

// Can this machine cast the rays of the setup's sensors?
Status check_rays(const Setup& setup, const RayCasters* casters, UsersSensors* users) {
  const SensorBook types(users);
  for (const EntitySpec& entity : setup.entities)
    for (const SensorSpec& sensor : entity.sensors) {
      const auto type = types.type_of(sensor);
      if (!type || !(*type)->traits.rays) continue;
      const std::string who = "the sensor '" + sensor.name + "' casts rays";
      if (!casters)
        return fail(ErrorCode::kUnsupported, who + ", which this build cannot: it has no Embree", entity.name);
      if (auto made = casters->make(setup.sensors.isa); !made)
        return fail(made.error().code, who + ": " + made.error().text, entity.name);
      return {};
    }
  return {};
}

// Can it draw what the setup's cameras take?
Status check_pictures(const Setup& setup, PictureMaker* maker) {
  for (const EntitySpec& entity : setup.entities)
    for (const SensorSpec& sensor : entity.sensors) {
      const SensorType* type = sensor.library.empty() ? find_sensor_type(sensor.type) : nullptr;
      if (!type || !type->traits.pictures) continue;
      const std::string who = "the sensor '" + sensor.name + "' takes pictures";
      if (!maker)
        return fail(ErrorCode::kUnsupported, who + ", which this build cannot: it has no renderer", entity.name);
      if (auto made = maker->fingerprint(); !made)
        return fail(made.error().code, who + ": " + made.error().text, entity.name);
      return {};
    }
  return {};
}

}  // namespace

Result<std::unique_ptr<Scene>> Scene::make(const Setup& setup, const AgentParts& parts) {
  if (auto ok = check_pictures(setup, parts.pictures); !ok) return tl::unexpected(ok.error());
  if (auto ok = check_rays(setup, parts.rays, parts.sensors); !ok) return tl::unexpected(ok.error());
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
