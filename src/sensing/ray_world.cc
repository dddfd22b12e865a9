#include "sensing/ray_world.h"

#include "shapes/scene.h"
#include "world/world_model.h"

namespace convoy {

RayWorld::RayWorld(RayCaster& caster, ShapeBook& book, const World& world, const Setup& setup)
    : caster_(caster), book_(book) {
  Scenery scenery = scenery_of(setup, world.model(kWorldModel));
  scenery.map = &world.map().data();
  auto shapes = shapes_of_scene(scenery, world.files());
  if (!shapes) return;
  scene_shapes_ = std::make_shared<const Shapes>(std::move(*shapes));
  place_links(*scene_shapes_, {}, scene_links_);
  scene_model_ = caster_.prepare(*scene_shapes_);
  const RayBody body{kNoEntity, scene_model_.get(), scene_links_};
  scene_ = caster_.field(nullptr, {&body, 1});
}

const RayWorld::Look& RayWorld::look_of(const std::shared_ptr<const Model>& model, const ModelFiles& files) {
  const auto known = looks_.find(model.get());
  if (known != looks_.end()) return known->second;
  Look look;
  if (auto shapes = book_.of(model, files)) look.shapes = std::move(*shapes);
  if (look.shapes && !look.shapes->shapes.empty()) look.rays = caster_.prepare(*look.shapes);
  return looks_.emplace(model.get(), std::move(look)).first->second;
}

const RayField& RayWorld::at(const World& world) {
  field_.reset();
  std::vector<RayBody> bodies;
  placed_.resize(world.entities().size());
  for (const Slot slot : SlotRange(world.entities().size())) {
    const Entity& entity = world.entity(slot);
    const Look& look = look_of(world.models()[entity.model], world.files());
    Placed& placed = placed_[slot.index()];
    placed.look = &look;
    if (!look.rays) continue;
    const Pose& X_WR = world.snapshot().state(slot).pose;
    place_links(*look.shapes, {X_WR, file_frame(*look.shapes, X_WR, entity.pose), world.joints(slot)}, placed.X_WL);
    bodies.push_back({entity.number, look.rays.get(), placed.X_WL});
  }
  field_ = caster_.field(scene_, bodies);
  return *field_;
}

RayWorld::Seen RayWorld::seen(Slot slot) const {
  const Placed* placed = slot.index() < placed_.size() ? &placed_[slot.index()] : nullptr;
  return placed && placed->look->rays ? Seen{placed->look->shapes.get(), placed->X_WL} : Seen{};
}

}  // namespace convoy
