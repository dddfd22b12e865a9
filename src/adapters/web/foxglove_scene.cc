#include "adapters/web/foxglove_scene.h"

#include <algorithm>

#include "record/scene_writer.h"
#include "shapes/map_boxes.h"
#include "shapes/scene.h"
#include "world/world_model.h"

namespace convoy::web {

namespace {

constexpr double kBelowMap = 0.005;  // m; the ground is shown that much lower than the map that lies on it

SharedBytes shared_part(const SceneUpdate& update) { return std::make_shared<const Bytes>(update.bytes()); }

bool endless(const Shape& shape) {
  return shape.kind == Shape::Kind::kPlane && (shape.size.x <= 0 || shape.size.y <= 0);
}

}  // namespace

void FoxgloveScene::begin(const Setup& setup) {
  boxes_ = setup.boxes, cylinders_ = setup.cylinders;
  figures_.clear(), come_.clear(), gone_.clear();
  limits_ = {}, limits_.together = kMostTriangles;
  shown_ = false;
}

FoxgloveScene::Figure FoxgloveScene::make(const Entity& entity, const World& world) {
  Figure out;
  out.model = world.models()[entity.model], out.kind = entity.kind;
  const auto shapes = book_.of(out.model, world.files());
  out.shapes = shapes ? *shapes : std::make_shared<const Shapes>();
  for (const Link& link : out.shapes->links) out.frames.push_back(entity.name + "/" + link.name);
  for (const SensorSpec& sensor : entity.kind->sensors) {
    const auto on = std::find_if(out.shapes->links.begin(), out.shapes->links.end(),
                                 [&](const Link& link) { return !sensor.link.empty() && link.name == sensor.link; });
    out.sensors.push_back({"/" + entity.name + "/" + sensor.name, sensor_frame(entity.name, sensor),
                           on == out.shapes->links.end() ? entity.name : entity.name + "/" + on->name,
                           sensor_frame_pose(sensor)});
  }
  return out;
}

void FoxgloveScene::drop(const Figure& figure) {
  limits_.together += figure.triangles;
  gone_.insert(figure.frames.begin(), figure.frames.end());
}

void FoxgloveScene::follow(const World& world) {
  std::map<std::string, Figure> now;
  for (const Entity& entity : world.entities()) {
    const std::shared_ptr<const Model>& model = world.models()[entity.model];
    auto known = figures_.extract(entity.name);
    const bool same = !known.empty() && *known.mapped().model == *model &&
                      (known.mapped().kind == entity.kind || known.mapped().kind->sensors == entity.kind->sensors);
    if (same) {
      now.insert(std::move(known));
      continue;
    }
    if (!known.empty()) drop(known.mapped());
    now.emplace(entity.name, make(entity, world));
    come_.insert(entity.name);
  }
  for (const auto& [name, figure] : figures_) drop(figure), come_.erase(name);
  figures_ = std::move(now);
}

FoxgloveSceneChange FoxgloveScene::change(Instant at, const World& world) {
  FoxgloveSceneChange out;
  if (!std::exchange(shown_, true)) {
    out.all = true;
    limits_ = {}, limits_.together = kMostTriangles;
    gone_.clear();
    SceneUpdate update(at, limits_);
    update.remove_all();
    out.gone[""] = shared_part(update);
    add_scenery(out, at, world);
    for (auto& [name, figure] : figures_) add(out, at, figure);
  } else {
    for (const std::string& name : gone_) {
      SceneUpdate update(at, limits_);
      update.remove(name);
      out.gone[name] = shared_part(update);
    }
    for (const std::string& name : come_)
      if (const auto figure = figures_.find(name); figure != figures_.end()) add(out, at, figure->second);
  }
  come_.clear(), gone_.clear();
  return out;
}

void FoxgloveScene::add(FoxgloveSceneChange& to, Instant at, Figure& figure) {
  const std::size_t room = limits_.together;
  std::vector<PlacedShape> placed;
  for (std::uint32_t link = 0; link < figure.frames.size(); ++link) {
    placed.clear();
    for (const Shape& shape : figure.shapes->shapes)
      if (shape.visible && shape.link == link) placed.push_back({&shape, shape.X_LS});
    if (placed.empty()) continue;
    SceneUpdate update(at, limits_);
    update.add(figure.frames[link], figure.frames[link], *figure.shapes, placed);
    to.set[figure.frames[link]] = shared_part(update);
  }
  figure.triangles = room - limits_.together;
}

// What never moves; a ground without end reaches as far as the map.
void FoxgloveScene::add_scenery(FoxgloveSceneChange& to, Instant at, const World& world) {
  Scenery scenery;
  const MapData& map = world.map().data();
  scenery.map = &map, scenery.boxes = boxes_, scenery.cylinders = cylinders_;
  scenery.wall_height = wall_height(map), scenery.world = world.model(kWorldModel);
  const auto shapes = shapes_of_scene(scenery, world.files());
  if (!shapes) return;
  place_links(*shapes, {}, X_WL_);
  std::vector<PlacedShape> placed;
  for (const Shape& shape : shapes->shapes) {
    if (!shape.visible) continue;
    placed.push_back({&shape, X_WL_[shape.link] * shape.X_LS});
    if (!endless(shape) || world.map().empty()) continue;
    const double length = map.width * map.resolution, width = map.height * map.resolution;
    const Vec2 middle = world.map().to_world(length / 2, width / 2);
    placed.back().X_FS.p = placed.back().X_FS.p + Vec3{middle.x, middle.y, -kBelowMap};
    limits_.endless = std::max(length, width) / 2 + 1;
  }
  SceneUpdate update(at, limits_);
  update.add("world", "world", *shapes, placed);
  to.set["world"] = shared_part(update);
}

void FoxgloveScene::frames(const World& world, const std::set<std::string>& wanted, std::vector<FrameTransform>& out) {
  for (const Slot slot : SlotRange(world.entities().size())) {
    const Entity& entity = world.entity(slot);
    const Pose& X_WR = world.snapshot().state(slot).pose;
    out.push_back({"world", entity.name, X_WR});
    const auto figure = figures_.find(entity.name);
    if (figure == figures_.end()) continue;
    place(figure->second, entity, X_WR, world.joints(slot), out);
    for (const Figure::Sensor& sensor : figure->second.sensors)
      if (wanted.contains(sensor.topic)) out.push_back({sensor.parent, sensor.frame, sensor.X_PS});
  }
}

// With X_WR = 1, so that a link's pose in its robot does not depend on where that is.
void FoxgloveScene::place(const Figure& figure, const Entity& entity, const Pose& X_WR, std::span<const double> joints,
                          std::vector<FrameTransform>& out) {
  const Shapes& shapes = *figure.shapes;
  place_links(shapes, {{}, file_frame(shapes, X_WR, entity.pose), joints}, X_WL_);
  for (std::size_t i = 0; i < shapes.links.size(); ++i) {
    const Link& link = shapes.links[i];
    switch (link.base) {
      case Link::Base::kLink:
        out.push_back({figure.frames[link.parent], figure.frames[i], X_WL_[link.parent].inverse() * X_WL_[i]});
        break;
      case Link::Base::kRobot: out.push_back({entity.name, figure.frames[i], X_WL_[i]}); break;
      case Link::Base::kPlace:
      case Link::Base::kFree: out.push_back({"world", figure.frames[i], X_WL_[i]}); break;
    }
  }
}

}  // namespace convoy::web
