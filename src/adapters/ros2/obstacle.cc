#include "adapters/ros2/obstacle.h"

#include <algorithm>
#include <cmath>

#include "core/pose.h"
#include "shapes/tessellate.h"

namespace convoy::ros2 {

namespace {

constexpr double kSame = 1e-3;  // m, rad

bool same(const Pose& a, const Pose& b) {
  const Quat d = a.q.conjugate() * b.q;
  return norm(a.p - b.p) < kSame && 2 * norm(Vec3{d.x, d.y, d.z}) < kSame;
}

bool same_form(const Obstacle& a, const Obstacle& b) {
  return a.look == b.look && std::equal(a.X_OP.begin(), a.X_OP.end(), b.X_OP.begin(), b.X_OP.end(), same);
}

void add(std::vector<ObstaclePart>& parts, const Shape& shape, const Shapes& all) {
  ObstaclePart one{shape.kind, shape.size, nullptr, shape.color, shape.link, shape.X_LS};
  switch (shape.kind) {
    case Shape::Kind::kPlane: return;
    case Shape::Kind::kBox:
    case Shape::Kind::kSphere:
    case Shape::Kind::kCylinder: return parts.push_back(one);
    case Shape::Kind::kCapsule:
      one.kind = Shape::Kind::kCylinder;
      parts.push_back(one);
      for (const double end : {-shape.size.y, shape.size.y}) {
        one.kind = Shape::Kind::kSphere, one.size = {shape.size.x, 0, 0};
        one.X_LP = shape.X_LS * Pose{{0, 0, end}, {}};
        parts.push_back(one);
      }
      return;
    case Shape::Kind::kEllipsoid:
    case Shape::Kind::kMesh:
    case Shape::Kind::kTerrain:
      one.kind = Shape::Kind::kMesh, one.mesh = std::make_shared<const Mesh>(triangles_of(shape, all));
      return parts.push_back(one);
  }
}

std::shared_ptr<const ObstacleLooks::Look> look_of(std::shared_ptr<const Shapes> shapes) {
  auto out = std::make_shared<ObstacleLooks::Look>();
  for (const Shape& shape : shapes->shapes)
    if (shape.solid && out->parts.size() < kMaxObstacleParts) add(out->parts, shape, *shapes);
  out->shapes = std::move(shapes);
  return out->parts.empty() ? nullptr : out;
}

}  // namespace

std::shared_ptr<const ObstacleLooks::Look> ObstacleLooks::of(ShapeBook& book, const std::shared_ptr<const Model>& model,
                                                             const ModelFiles& files) {
  if (const auto known = looks_.find(model.get()); known != looks_.end()) return known->second;
  const auto shapes = book.of(model, files);  // which keeps the model
  return looks_[model.get()] = shapes ? look_of(*shapes) : nullptr;
}

std::shared_ptr<const ObstacleLooks::Look> ObstacleLooks::of_scene(const Scenery& scenery, const ModelFiles& files) {
  if (std::exchange(has_scene_, true)) return scene_;
  auto shapes = shapes_of_scene(scenery, files);
  return scene_ = shapes ? look_of(std::make_shared<const Shapes>(std::move(*shapes))) : nullptr;
}

ObstacleChanges changes_of(const Obstacles& before, const Obstacles& now) {
  ObstacleChanges out;
  for (const auto& [name, obstacle] : now) {
    const auto was = before.find(name);
    if (was == before.end() || !same_form(was->second, obstacle)) out.made.emplace(name, &obstacle);
    else if (!same(was->second.X_FO, obstacle.X_FO)) out.moved.emplace(name, &obstacle);
  }
  for (const auto& [name, obstacle] : before)
    if (!now.count(name)) out.gone.push_back(name);
  return out;
}

}  // namespace convoy::ros2
