#include "sensing/picture_world.h"

#include <algorithm>

#include "shapes/scene.h"
#include "world/world_model.h"

namespace convoy {

namespace {

enum : std::uint32_t { kGround = 1, kWall = 2 };

bool is_ground(const Shape& shape) { return shape.kind == Shape::Kind::kPlane || shape.kind == Shape::Kind::kTerrain; }

// The scene's ground, or all else of it.
std::shared_ptr<const Shapes> part_of_scene(const Shapes& scene, bool ground) {
  Shapes out = scene;
  std::erase_if(out.shapes, [&](const Shape& shape) { return is_ground(shape) != ground; });
  return std::make_shared<const Shapes>(std::move(out));
}

}  // namespace

std::vector<std::string> picture_classes(const World& world, ShapeBook& book) {
  std::vector<std::string> out{"nothing", "ground", "wall", "robot", "object"};
  for (const auto& model : world.models())
    if (auto shapes = book.of(model, world.files()))
      if (std::find(out.begin(), out.end(), (*shapes)->category) == out.end()) out.push_back((*shapes)->category);
  return out;
}

PictureWorld::PictureWorld(ShapeBook& book, const World& world, const Setup& setup)
    : book_(book), quality_(setup.sensors.pictures) {
  Scenery scenery = scenery_of(setup, world.model(kWorldModel));
  scenery.map = &world.map().data();
  const auto shapes = shapes_of_scene(scenery, world.files());
  if (!shapes) return;
  for (const bool ground : {true, false}) {
    PictureBody& body = scene_.emplace_back();
    body.shapes = part_of_scene(*shapes, ground), body.category = ground ? kGround : kWall;
    place_links(*body.shapes, {}, body.X_WL);
  }
}

// By the models that there are now, whichever came before: so they are the same on a host that came later.
void PictureWorld::number_classes(const World& world) {
  const auto& models = world.models();
  if (std::equal(models.begin(), models.end(), models_.begin(), models_.end())) return;
  models_ = models;
  classes_.clear();
  const std::vector<std::string> names = picture_classes(world, book_);
  for (const auto& model : models) {
    const auto shapes = book_.of(model, world.files());
    const auto known = shapes ? std::find(names.begin(), names.end(), (*shapes)->category) : names.begin();
    classes_.push_back(static_cast<std::uint32_t>(known - names.begin()));
  }
}

std::shared_ptr<const PictureScene> PictureWorld::at(const World& world, Instant now) {
  number_classes(world);
  auto out = std::make_shared<PictureScene>();
  out->environment = world.environment(), out->now = now, out->quality = quality_, out->bodies = scene_;
  for (const Slot slot : SlotRange(world.entities().size())) {
    const Entity& entity = world.entity(slot);
    const auto shapes = book_.of(world.models()[entity.model], world.files());
    if (!shapes || (*shapes)->shapes.empty()) continue;
    PictureBody& body = out->bodies.emplace_back();
    body.number = entity.number, body.shapes = *shapes, body.category = classes_[entity.model];
    const Pose& X_WR = world.snapshot().state(slot).pose;
    place_links(**shapes, {X_WR, file_frame(**shapes, X_WR, entity.pose), world.joints(slot)}, body.X_WL);
  }
  return out;
}

}  // namespace convoy
