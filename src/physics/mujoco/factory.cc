#include "physics/mujoco/factory.h"

#include <fmt/format.h>

#include "core/fields.h"
#include "physics/mujoco/compiled.h"
#include "physics/mujoco/robot.h"
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

Result<std::shared_ptr<const Compiled>> Factory::compiled(const Model& model, const ModelFiles& files,
                                                          const StaticMap* map, const Model* fixed,
                                                          Duration tick) const {
  Bytes key;
  Writer w(key);
  for (const Model* with : {&model, fixed})
    for (std::size_t i = 0; with && i < with->files.size(); ++i)
      w.text(with->files[i].name), w.u64(with->files[i].hash);
  for (const auto* wheels : {&model.left_wheels, &model.right_wheels}) {
    w.u64(wheels->size());
    for (const std::string& name : *wheels) w.text(name);
  }
  w.u64(map ? map->hash() : 0);
  std::weak_ptr<const Compiled>& known = compiled_[hash64(key)];
  std::shared_ptr<const Compiled> found = known.lock();
  if (!found) {
    auto made = compile(model, files, {map, fixed});
    if (!made) return fail(made.error().code, fmt::format("model '{}': {}", model.name, made.error().message()));
    known = found = std::move(*made);
  }
  if (auto ok = check_step(model, *found, tick); !ok) return tl::unexpected(ok.error());
  return found;
}

std::unique_ptr<Physics> Factory::make(const Model& model, const World& world, Duration tick) const {
  if (model.files.empty()) return kinematic_.make(model, world, tick);
  auto made = compiled(model, world.files(), &world.map(), world.model(kWorldModel), tick);
  if (!made) return std::make_unique<Stone>(made.error().message());
  return std::make_unique<Robot>(model, std::move(*made));
}

Status Factory::check(const Model& model, const ModelFiles& files, Duration tick) const {
  if (model.files.empty()) return {};
  const auto made = compiled(model, files, nullptr, nullptr, tick);
  return made ? Status{} : tl::unexpected(made.error());
}

Duration Factory::step_of(const Model& model, const ModelFiles& files, Duration tick) const {
  if (model.files.empty()) return tick;
  const auto made = compiled(model, files, nullptr, nullptr, tick);
  return made ? (*made)->step : tick;
}

}  // namespace convoy::mujoco
