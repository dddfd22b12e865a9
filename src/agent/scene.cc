#include "agent/scene.h"

#include <set>

namespace convoy {

Result<std::unique_ptr<Scene>> Scene::make(const Setup& setup, const PhysicsFactory& physics) {
  auto world = World::make(setup);
  if (!world) return tl::unexpected(world.error());
  std::unique_ptr<Scene> out(new Scene(std::move(*world)));
  std::set<std::uint32_t> models;
  for (const Entity& entity : out->world_.entities()) models.insert(entity.model);
  for (std::uint32_t model : models)
    if (const Preparation prepare = physics.prepare(*out->world_.models()[model], out->world_))
      out->prepared_.push_back(prepare());
  return out;
}

}  // namespace convoy
