#include "physics/mujoco/library.h"

#include "core/fields.h"

namespace convoy::mujoco {

namespace {

Bytes key_of(const Model& model, const Scene& scene) {
  Bytes key;
  Writer w(key);
  for (const Model* with : {&model, scene.fixed})
    for (std::size_t i = 0; with && i < with->files.size(); ++i)
      w.text(with->files[i].name), w.u64(with->files[i].hash);
  for (const auto* wheels : {&model.left_wheels, &model.right_wheels}) {
    w.u64(wheels->size());
    for (const std::string& name : *wheels) w.text(name);
  }
  w.u64(scene.map ? scene.map->hash() : 0);
  return key;
}

}  // namespace

Result<std::shared_ptr<const Compiled>> Library::alone(const Model& model, const Scene& scene) {
  const std::lock_guard<std::mutex> hold(lock_);
  std::weak_ptr<const Compiled>& known = compiled_[hash64(key_of(model, scene))];
  if (auto found = known.lock()) return found;
  auto made = compile(model, *scene.files, {scene.map, scene.fixed, {}, nullptr});
  if (made) known = *made;
  return made;
}

std::shared_ptr<const GhostKind> Library::kind(const Model& model, const ModelFiles& files, bool held) {
  const std::uint64_t key = hash64(save(model), held ? 1 : 0);
  {
    const std::lock_guard<std::mutex> hold(lock_);
    if (auto found = kinds_[key].lock()) return found;
  }
  GhostKind made;
  if (model.files.empty()) {
    made = ghosts_of(model, nullptr);
  } else if (auto compiled = alone(model, {&files, nullptr, nullptr})) {
    made = ghosts_of(model, std::move(*compiled));
  }
  if (held) made = mujoco::held(std::move(made));
  made.key = key;
  const std::lock_guard<std::mutex> hold(lock_);
  if (auto found = kinds_[key].lock()) return found;
  auto out = std::make_shared<const GhostKind>(std::move(made));
  kinds_[key] = out;
  return out;
}

Result<std::shared_ptr<const Compiled>> Library::among(const Model& model, const Scene& scene, const Compiled& alone,
                                                       std::span<const Ghost> ghosts) {
  Bytes key = key_of(model, scene);
  Writer w(key);
  std::vector<const GhostBody*> bodies;
  for (const Ghost& ghost : ghosts) w.u64(ghost.kind->key), w.u64(ghost.index), bodies.push_back(&ghost.body());
  const std::lock_guard<std::mutex> hold(lock_);
  std::weak_ptr<const Compiled>& known = compiled_[hash64(key)];
  if (auto found = known.lock()) return found;
  auto made = compile(model, *scene.files, {scene.map, scene.fixed, bodies, &alone});
  if (!made) return made;
  known = *made;
  kept_.push_back(*made);
  const auto geoms = [](const auto& compiled) { return static_cast<std::size_t>(compiled->model->ngeom); };
  kept_geoms_ += geoms(kept_.back());
  while (kept_.size() > kMostKept || (kept_.size() > 1 && kept_geoms_ > kMostKeptGeoms)) {
    kept_geoms_ -= geoms(kept_.front());
    kept_.pop_front();
  }
  return made;
}

}  // namespace convoy::mujoco
