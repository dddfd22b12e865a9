#include "physics/mujoco/library.h"

#include <algorithm>

#include "core/fields.h"

namespace convoy::mujoco {

namespace {

void add_files(Writer& w, const Model& model) {
  for (const ModelFile& file : model.files) w.text(file.name), w.u64(file.hash);
}

Bytes key_of(const Model& model, bool without_ground, const Load* load = nullptr) {
  Bytes key;
  Writer w(key);
  add_files(w, model);
  for (const auto* wheels : {&model.left_wheels, &model.right_wheels}) {
    w.u64(wheels->size());
    for (const std::string& name : *wheels) w.text(name);
  }
  w.u64(without_ground);
  if (load) w.u64(load->key);
  return key;
}

// Each load comes once and never again: what is no longer in use must not pile up.
template <class T>
void forget_old(std::map<std::uint64_t, std::weak_ptr<const T>>& known) {
  std::erase_if(known, [](const auto& one) { return one.second.expired(); });
}

}  // namespace

Result<std::shared_ptr<const Compiled>> Library::alone(const Model& model, const ModelFiles& files,
                                                       bool without_ground) {
  const std::uint64_t key = hash64(key_of(model, without_ground));
  {
    const std::lock_guard<std::mutex> hold(lock_);
    if (const auto found = compiled_.find(key); found != compiled_.end())
      if (auto known = found->second.lock()) return known;
  }
  auto made = compile(model, files, {.without_ground = without_ground});  // others go on meanwhile
  if (!made) return made;
  const std::lock_guard<std::mutex> hold(lock_);
  std::weak_ptr<const Compiled>& known = compiled_[key];
  if (auto found = known.lock()) return found;
  known = *made;
  return made;
}

Result<std::shared_ptr<const Compiled>> Library::laden(const Model& model, const ModelFiles& files,
                                                       const Compiled& bare, const Load& load) {
  const std::uint64_t key = hash64(key_of(model, bare.without_ground, &load));
  const std::lock_guard<std::mutex> hold(lock_);
  if (const auto found = compiled_.find(key); found != compiled_.end())
    if (auto known = found->second.lock()) return known;
  auto made = compile(model, files, {.without_ground = bare.without_ground, .load = &load, .bare = &bare});
  forget_old(compiled_);
  if (made) compiled_[key] = *made;
  return made;
}

Result<std::shared_ptr<const Walls>> Library::walls(std::shared_ptr<const StaticMap> map, const Model* world,
                                                    const ModelFiles& files) {
  if (!world && (!map || map->empty())) return nullptr;
  Bytes name;
  Writer w(name);
  if (world) add_files(w, *world);
  const std::uint64_t key = world ? hash64(name) : map->hash();
  {
    const std::lock_guard<std::mutex> hold(lock_);
    if (const auto found = walls_.find(key); found != walls_.end())
      if (auto known = found->second.lock()) return known;
  }
  Result<std::shared_ptr<const Walls>> made = nullptr;
  if (world) {
    const auto compiled = alone(*world, files);
    if (!compiled) return tl::unexpected(compiled.error());
    made = Walls::of_world((*compiled)->model, key);
  } else {
    made = Walls::of_map(std::move(map));
  }
  if (!made) return made;
  const std::lock_guard<std::mutex> hold(lock_);
  std::weak_ptr<const Walls>& known = walls_[key];
  if (auto found = known.lock()) return found;
  known = *made;
  return made;
}

std::shared_ptr<const Load> Library::load(const Compiled* bare, std::span<const Carried> carried,
                                          const ModelFiles& files) {
  std::vector<Piece> pieces;
  for (const Carried& one : carried) pieces.push_back({kind(*one.model, files, false), one.X_BC});
  return make_load(bare, pieces);
}

GhostKind Library::make_kind(const Model& model, const ModelFiles& files, std::span<const Carried> carried) {
  std::shared_ptr<const Compiled> compiled;
  if (!model.files.empty()) {
    auto made = alone(model, files);
    if (!made) return {};
    compiled = std::move(*made);
  }
  const auto load = carried.empty() ? nullptr : this->load(compiled.get(), carried, files);
  if (load && compiled) {
    auto made = laden(model, files, *compiled, *load);
    if (made) compiled = std::move(*made);
  }
  GhostKind out = ghosts_of(model, compiled);
  if (load && !compiled) add_to_ghost(out, *load);
  return out;
}

template <class Make>
std::shared_ptr<const GhostKind> Library::known_kind(std::uint64_t key, const Make& make) {
  {
    const std::lock_guard<std::mutex> hold(lock_);
    if (const auto found = kinds_.find(key); found != kinds_.end())
      if (auto known = found->second.lock()) return known;
  }
  GhostKind made = make();
  made.key = key;
  const std::lock_guard<std::mutex> hold(lock_);
  forget_old(kinds_);
  std::weak_ptr<const GhostKind>& known = kinds_[key];
  if (auto found = known.lock()) return found;
  auto out = std::make_shared<const GhostKind>(std::move(made));
  known = out;
  return out;
}

std::shared_ptr<const GhostKind> Library::kind(const Model& model, const ModelFiles& files, bool held,
                                               std::span<const Carried> carried) {
  Bytes bytes = save(model);
  for (const Carried& one : carried) {
    save_into(bytes, *one.model);
    save_into(bytes, one.X_BC);
  }
  return known_kind(hash64(bytes, held ? 1 : 0), [&] {
    GhostKind made = make_kind(model, files, carried);
    return held ? mujoco::held(std::move(made)) : made;
  });
}

void Library::keep(const std::shared_ptr<const GhostKind>& kind) {
  const std::lock_guard<std::mutex> hold(lock_);
  if (std::find(kept_kinds_.begin(), kept_kinds_.end(), kind) != kept_kinds_.end()) return;
  if (kept_kinds_.size() >= kMostKept) kept_kinds_.pop_front();
  kept_kinds_.push_back(kind);
}

std::shared_ptr<const GhostKind> Library::own_kind(const Model& model, std::shared_ptr<const Compiled> compiled,
                                                   const Load* load) {
  Bytes key = key_of(model, compiled->without_ground, load);
  Writer w(key);
  w.text(model.name);  // kWorldObjects is another kind
  return known_kind(hash64(key, 2), [&] { return ghosts_of(model, std::move(compiled)); });
}

Result<std::shared_ptr<const Compiled>> Library::among(const Model& model, const ModelFiles& files,
                                                       const Compiled& alone, const Load* load, const Walls* walls,
                                                       std::span<const Ghost> ghosts) {
  Bytes key = key_of(model, alone.without_ground, load);
  Writer w(key);
  w.u64(walls ? walls->key() : 0);
  w.u64(ghosts.size());
  std::vector<const GhostBody*> bodies;
  for (const Ghost& ghost : ghosts) w.u64(ghost.kind->key), w.u64(ghost.index), bodies.push_back(&ghost.body());
  const std::lock_guard<std::mutex> hold(lock_);
  std::weak_ptr<const Compiled>& known = compiled_[hash64(key)];
  if (auto found = known.lock()) return found;
  auto made = compile(
      model, files,
      {.without_ground = alone.without_ground, .walls = walls, .ghosts = bodies, .alone = &alone, .load = load});
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
