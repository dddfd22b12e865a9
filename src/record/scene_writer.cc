#include "record/scene_writer.h"

#include <algorithm>
#include <cmath>

#include "record/foxglove/grid.h"
#include "shapes/map_boxes.h"
#include "shapes/scene.h"
#include "world/world_model.h"

namespace convoy {
namespace {

constexpr std::size_t kTransformsInOne = 10'000;
constexpr std::size_t kMostOfScene = 8u << 20;  // bytes of one message; then another begins
constexpr double kBelowMap = 0.005;             // m; the ground is shown that much lower than the map that lies on it

// A power of two, so that most bits of a double are 0 and pack well; -0 becomes 0.
double rounded(double v, double steps) { return std::round(v * steps) / steps + 0.0; }
Pose rounded(const Pose& X) {
  constexpr double kPlace = 1 << 20, kTurn = 1 << 15;
  return {{rounded(X.p.x, kPlace), rounded(X.p.y, kPlace), rounded(X.p.z, kPlace)},
          {rounded(X.q.w, kTurn), rounded(X.q.x, kTurn), rounded(X.q.y, kTurn), rounded(X.q.z, kTurn)}};
}

bool is_endless(const Shape& shape) {
  return shape.kind == Shape::Kind::kPlane && (shape.size.x <= 0 || shape.size.y <= 0);
}

// In the middle of the map, and as far as it reaches.
struct Reach {
  Vec3 middle;
  double half = 0;
};
Reach reach_of(const StaticMap& map) {
  const MapData& data = map.data();
  const double length = data.width * data.resolution, width = data.height * data.resolution;
  const Vec2 middle = map.to_world(length / 2, width / 2);
  return {{middle.x, middle.y, -kBelowMap}, std::max(length, width) / 2 + 1};
}

}  // namespace

SceneWriter::SceneWriter(RecordingWriter& file, const Setup& setup, const ViewDetail& detail, Duration frames)
    : file_(file),
      detail_(detail),
      boxes_(setup.boxes),
      cylinders_(setup.cylinders),
      frames_line_(file.line(topic::kTransforms, schema_of(FoxgloveMessage::kFrameTransforms), "frames")) {
  if (!detail_.frames) detail_.frames = frames;
  if (detail_.scene == ViewDetail::Scene::kNone) return;
  if (!setup.map.cells.empty())
    map_line_ = file.line(topic::kMap, schema_of(FoxgloveMessage::kGrid), "the occupancy map");
  scene_line_ = file.line(topic::kScene, schema_of(FoxgloveMessage::kSceneUpdate), "what things look like");
}

void SceneWriter::follow(Instant now, const World& world) {
  if (structure_ == world.structure_hash() && by_slot_.size() == world.entities().size()) return;
  if (!structure_) write_map(now, world), add_scene(now, world);
  structure_ = world.structure_hash();
  by_slot_.clear();
  for (auto& [name, figure] : figures_) figure.there = false;
  if (!scene_line_ && !wanted_) return by_slot_.resize(world.entities().size());
  for (const Entity& entity : world.entities()) {
    const std::shared_ptr<const Model>& model = world.models()[entity.model];
    auto known = figures_.find(entity.name);
    const bool same = known != figures_.end() && is_of(known->second, entity, model);
    if (!same) {
      if (known != figures_.end()) remove(known->second, now);
      known = figures_.insert_or_assign(entity.name, make(entity, world)).first;
      add(known->second, entity, now, world);
    }
    known->second.there = true;
    by_slot_.push_back(&known->second);
  }
  for (auto it = figures_.begin(); it != figures_.end();) {
    if (it->second.there) {
      ++it;
      continue;
    }
    remove(it->second, now);
    it = figures_.erase(it);
  }
  send(now);
}

bool SceneWriter::is_of(const Figure& figure, const Entity& entity, const std::shared_ptr<const Model>& model) {
  return (figure.model == model || *figure.model == *model) &&
         (figure.kind == entity.kind || figure.kind->sensors == entity.kind->sensors);
}

// In a message deletions come before all else.
void SceneWriter::remove(const Figure& figure, Instant now) {
  if (!update_) update_.emplace(file_.stamp(now), limits_);
  for (const std::string& frame : figure.frames) update_->remove(frame);
}

void SceneWriter::send(Instant now) {
  if (update_ && scene_line_ && !update_->empty()) file_.write(*scene_line_, file_.log_time(now), update_->bytes());
  update_.reset();
}

void SceneWriter::write_map(Instant now, const World& world) {
  if (!map_line_ || world.map().empty()) return;
  encode_grid(file_.stamp(now), world.map().data(), scratch_);
  file_.write(*map_line_, file_.log_time(now), scratch_);
}

void SceneWriter::put(std::string_view id, std::string_view frame, const Shapes& shapes,
                      std::span<const PlacedShape> placed, Instant now) {
  if (update_ && update_->bytes().size() > kMostOfScene) send(now);
  if (!update_) update_.emplace(file_.stamp(now), limits_);
  update_->add(id, frame, shapes, placed);
}

void SceneWriter::add_scene(Instant now, const World& world) {
  if (!scene_line_) return;
  Scenery scenery;
  scenery.map = &world.map().data(), scenery.boxes = boxes_, scenery.cylinders = cylinders_;
  scenery.wall_height = wall_height(world.map().data()), scenery.world = world.model(kWorldModel);
  const auto shapes = shapes_of_scene(scenery, world.files());
  if (!shapes) return;
  place_links(*shapes, {}, X_WL_);
  std::vector<PlacedShape> placed;
  for (const Shape& shape : shapes->shapes) {
    if (!shape.visible) continue;
    placed.push_back({&shape, X_WL_[shape.link] * shape.X_LS});
    if (!is_endless(shape) || world.map().empty()) continue;
    const Reach reach = reach_of(world.map());
    placed.back().X_FS.p = placed.back().X_FS.p + reach.middle;
    limits_.endless = reach.half;
  }
  put("world", "world", *shapes, placed, now);
}

SceneWriter::Figure SceneWriter::make(const Entity& entity, const World& world) {
  Figure out;
  out.model = world.models()[entity.model], out.kind = entity.kind;
  const auto shapes = book_.of(out.model, world.files());
  out.shapes = shapes ? *shapes : std::make_shared<const Shapes>();
  for (const Link& link : out.shapes->links) out.frames.push_back(entity.name + "/" + link.name);
  for (const SensorSpec& sensor : entity.kind->sensors) {
    if (!wanted_ || !wanted_(entity.name, sensor)) continue;
    const auto on = std::find_if(out.shapes->links.begin(), out.shapes->links.end(),
                                 [&](const Link& link) { return !sensor.link.empty() && link.name == sensor.link; });
    out.sensors.push_back({sensor_frame(entity.name, sensor),
                           on == out.shapes->links.end() ? entity.name : entity.name + "/" + on->name,
                           sensor_frame_pose(sensor)});
  }
  return out;
}

void SceneWriter::add(const Figure& figure, const Entity& entity, Instant now, const World& world) {
  if (!scene_line_) return;
  const Slot slot = world.slot_of(entity.number);
  const Pose& X_WR = world.snapshot().state(slot).pose;
  if (!moving())
    place_links(*figure.shapes, {X_WR, file_frame(*figure.shapes, X_WR, entity.pose), world.joints(slot)}, X_WL_);
  std::vector<PlacedShape> placed;
  for (std::uint32_t link = 0; link < figure.frames.size(); ++link) {
    placed.clear();
    for (const Shape& shape : figure.shapes->shapes)
      if (shape.visible && shape.link == link)
        placed.push_back({&shape, moving() ? shape.X_LS : X_WR.inverse() * X_WL_[link] * shape.X_LS});
    if (placed.empty()) continue;
    put(figure.frames[link], moving() ? figure.frames[link] : entity.name, *figure.shapes, placed, now);
  }
}

// With X_WR = 1, so that a link's pose in its robot does not depend on where that is.
void SceneWriter::place(const Figure& figure, const Entity& entity, const Pose& X_WR, std::span<const double> joints) {
  const Shapes& shapes = *figure.shapes;
  place_links(shapes, {{}, file_frame(shapes, X_WR, entity.pose), joints}, X_WL_);
  for (std::size_t i = 0; i < shapes.links.size(); ++i) {
    const Link& link = shapes.links[i];
    switch (link.base) {
      case Link::Base::kLink:
        transforms_.push_back(
            {figure.frames[link.parent], figure.frames[i], rounded(X_WL_[link.parent].inverse() * X_WL_[i])});
        break;
      case Link::Base::kRobot: transforms_.push_back({entity.name, figure.frames[i], rounded(X_WL_[i])}); break;
      case Link::Base::kPlace:
      case Link::Base::kFree: transforms_.push_back({"world", figure.frames[i], rounded(X_WL_[i])}); break;
    }
  }
  for (const Figure::Sensor& sensor : figure.sensors) transforms_.push_back({sensor.parent, sensor.frame, sensor.X_PS});
}

void SceneWriter::place(Instant now, const World& world, std::span<const Pose> X_WR) {
  const std::uint64_t time = file_.log_time(now);
  if (time < due_ns_) return;
  if (const auto every = static_cast<std::uint64_t>(nanos(*detail_.frames)); every > 0)
    due_ns_ = time - time % every + every;
  transforms_.clear();
  for (const Slot slot : SlotRange(world.entities().size())) {
    const Entity& entity = world.entity(slot);
    const Pose& X = X_WR.empty() ? world.snapshot().state(slot).pose : X_WR[slot.index()];
    transforms_.push_back({"world", entity.name, X});
    if (const Figure* figure = by_slot_[slot.index()]; figure && moving())
      place(*figure, entity, X, world.joints(slot));
  }
  for (std::size_t at = 0; at < transforms_.size(); at += kTransformsInOne) {
    encode_frame_transforms(file_.stamp(now),
                            std::span(transforms_).subspan(at, std::min(kTransformsInOne, transforms_.size() - at)),
                            scratch_);
    file_.write(frames_line_, time, scratch_);
  }
}

}  // namespace convoy
