#include "physics/mujoco/factory.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "physics/mujoco/failed_robot.h"
#include "physics/mujoco/library.h"
#include "physics/mujoco/robot.h"
#include "shapes/map_boxes.h"
#include "world/world_model.h"

namespace convoy::mujoco {

namespace {

Status check_step(const Model& model, const Compiled& compiled, Duration tick) {
  if (compiled.step.count() <= 0 || tick % compiled.step != Duration(0))
    return fail(
        ErrorCode::kInvalid,
        fmt::format("model '{}': the tick of {:g} ms is no multiple of its physics step of {:g} ms (<option timestep>)",
                    model.name, seconds(tick) * 1e3, seconds(compiled.step) * 1e3));
  if (compiled.joints.size() != model.joints.size())
    return fail(ErrorCode::kInvalid, fmt::format("model '{}' has {} joints, and its document has {}", model.name,
                                                 model.joints.size(), compiled.joints.size()));
  if (static_cast<std::size_t>(compiled.model->nu) != model.actuators.size())
    return fail(ErrorCode::kInvalid, fmt::format("model '{}' has {} actuators, and its document has {}", model.name,
                                                 model.actuators.size(), compiled.model->nu));
  return {};
}

}  // namespace

Factory::Factory() : library_(std::make_shared<Library>()) {}

Result<std::shared_ptr<const Compiled>> Factory::compiled(const Model& model, const ModelFiles& files, Duration tick,
                                                          bool without_ground) const {
  auto made = library_->alone(model, files, without_ground);
  if (!made) return fail(made.error().code, fmt::format("model '{}': {}", model.name, made.error().message()));
  if (auto ok = check_step(model, **made, tick); !ok) return tl::unexpected(ok.error());
  return made;
}

std::unique_ptr<Physics> Factory::make(const Model& model, const World& world, Duration tick) const {
  if (model.files.empty()) return kinematic_.make(model, world, tick);
  // What stands in a world is in its objects' own document already.
  const bool objects = model.name == kWorldObjects && world.model(kWorldModel);
  Result<std::shared_ptr<const Walls>> walls = nullptr;
  if (!objects) walls = library_->walls(world.shared_map(), world.model(kWorldModel), world.files());
  if (!walls) return std::make_unique<FailedRobot>(fmt::format("model '{}': {}", model.name, walls.error().message()));
  auto made = compiled(model, world.files(), tick, *walls && (*walls)->has_ground());
  if (!made) return std::make_unique<FailedRobot>(made.error().message());
  return std::make_unique<Robot>(model, std::move(*made), library_, std::move(*walls), world.files());
}

Preparation Factory::prepare(const Model& model, const World& world) const {
  if (model.files.empty()) return {};
  std::optional<Model> fixed;
  if (const Model* one = world.model(kWorldModel)) fixed = *one;
  const auto several = std::count_if(world.entities().begin(), world.entities().end(),
                                     [&](const Entity& e) { return e.kind->model == model.name; }) > 1;
  return [library = library_, model, files = world.files(), map = world.shared_map(), fixed, several] {
    struct Ready {
      std::shared_ptr<const Walls> walls;
      std::shared_ptr<const Compiled> bare, walled, neighbour, met;
      std::shared_ptr<const GhostKind> kind;
    };
    auto ready = std::make_shared<Ready>();
    if (auto walls = library->walls(map, fixed ? &*fixed : nullptr, files)) ready->walls = std::move(*walls);
    const Walls* walls = ready->walls.get();
    if (auto made = library->alone(model, files, walls && walls->has_ground())) ready->bare = std::move(*made);
    if (auto made = library->alone(model, files)) ready->neighbour = std::move(*made);
    if (ready->bare && walls)
      if (auto made = library->among(model, files, *ready->bare, nullptr, walls, {})) ready->walled = std::move(*made);
    // Two of them that meet, where one of the other's bodies is all that can be met; other meetings are compiled when
    // they come.
    if (several) ready->kind = library->kind(model, files, false);
    if (ready->bare && ready->kind && ready->kind->bodies.size() == 1) {
      const Ghost other{ready->kind, 0};
      if (auto made = library->among(model, files, *ready->bare, nullptr, nullptr, {&other, 1}))
        ready->met = std::move(*made);
    }
    return std::shared_ptr<const void>(std::move(ready));
  };
}

Status Factory::check(const Model& model, const ModelFiles& files, Duration tick) const {
  if (model.files.empty()) return {};
  const auto made = compiled(model, files, tick);
  return made ? Status{} : tl::unexpected(made.error());
}

Status Factory::check_map(const StaticMap& map) const {
  const auto boxes = map_boxes(map);
  return boxes ? Status{} : tl::unexpected(boxes.error());
}

Status Factory::check(const ControllerSpec& controller, const Model& model, const ModelFiles& files,
                      Duration tick) const {
  if (model.files.empty()) return PhysicsFactory::check(controller, model, files, tick);
  const auto made = compiled(model, files, tick);
  return made ? mujoco::check(controller, (*made)->model) : tl::unexpected(made.error());
}

Duration Factory::step_of(const Model& model, const ModelFiles& files, Duration tick) const {
  if (model.files.empty()) return tick;
  const auto made = compiled(model, files, tick);
  return made ? (*made)->step : tick;
}

}  // namespace convoy::mujoco
