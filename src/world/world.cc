#include "world/world.h"

#include <algorithm>
#include <cmath>

#include "core/check.h"
#include "core/hash.h"
#include "world/edits/edits.h"
#include "world/spec_check.h"

namespace convoy {

namespace {

struct Said {
  WorldNumber agent = kNoEntity;
  std::vector<Interface> interfaces;
};
template <class V, MaybeConst<Said> T>
void fields(V& v, T& s) {
  v("agent", s.agent), v("interfaces", s.interfaces);
}

struct Held {
  WorldNumber number = kNoEntity;
  std::string holder;
};
template <class V, MaybeConst<Held> T>
void fields(V& v, T& h) {
  v("number", h.number), v("holder", h.holder);
}

struct WorldImage {
  std::vector<Bytes> files;  // those that came by edits
  std::vector<AddFile> half_files;
  std::vector<Model> models;
  std::vector<EntityRecord> entities;
  std::vector<State> states;
  std::vector<std::vector<double>> tails;
  Environment environment;
  std::uint32_t next_number = 1;
  std::uint64_t structure = 0;
  std::vector<Said> said;
  std::vector<Held> holders;
};
template <class V, MaybeConst<WorldImage> T>
void fields(V& v, T& w) {
  v("files", w.files), v("half_files", w.half_files), v("models", w.models), v("entities", w.entities),
      v("states", w.states), v("tails", w.tails);
  v("environment", w.environment), v("next_number", w.next_number), v("structure", w.structure);
  v("said", w.said), v("holders", w.holders);
}

}  // namespace

bool valid_name(const std::string& name) {
  if (name.empty() || name.size() > 128) return false;
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  return letter(name[0]) &&
         std::all_of(name.begin(), name.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9') || c == '_'; });
}

bool valid_client_name(const std::string& name) {
  const std::size_t dot = std::min(name.find('.'), name.size());
  return name.size() <= 128 && valid_name(name.substr(0, dot)) &&
         (dot == name.size() || valid_name(name.substr(dot + 1)));
}

bool valid_holder(const std::string& name) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_.:/@-").find(c) != std::string_view::npos;
  };
  return !name.empty() && name.size() <= 128 && std::all_of(name.begin(), name.end(), fits);
}

EntitySpec Entity::spec() const {
  return {.name = name,
          .model = kind->model,
          .pose = pose,
          .ns = kind->ns,
          .frame = kind->frame,
          .tags = kind->tags,
          .driver = kind->driver,
          .components = kind->components,
          .domain = kind->domain,
          .control_source = kind->control_source,
          .controller = kind->controller,
          .keyframe = kind->keyframe,
          .sensors = kind->sensors,
          .edits = kind->edits,
          .host = kind->host};
}

State initial_state(const Pose& pose, Instant now) {
  State state;
  state.stamp = now;
  state.pose = pose;
  make_canonical(state);
  return state;
}

Result<World> World::make(const Setup& setup, std::shared_ptr<const Bytes> saved) {
  auto map = setup.map.cells.empty() ? Result<StaticMap>(StaticMap()) : StaticMap::make(setup.map);
  if (!map) return tl::unexpected(map.error());
  ModelFiles files;
  for (const Bytes& bytes : setup.files) add(files, bytes);
  auto world = build(setup, std::make_shared<const StaticMap>(std::move(*map)), std::move(files));
  if (!world) return world;
  if (!saved) {
    Setup kept = setup;
    Bytes().swap(kept.map.cells);  // the static map has them
    kept.files.clear();            // and the world these
    saved = std::make_shared<const Bytes>(save(kept));
  }
  world->setup_ = std::move(saved);
  return world;
}

Result<World> World::build(const Setup& setup, std::shared_ptr<const StaticMap> map, ModelFiles files) {
  World world;
  world.map_ = std::move(map);
  world.files_ = std::move(files);
  world.seed_ = setup.seed;
  if (auto ok = world.check(SetEnvironment{setup.environment}); !ok) return tl::unexpected(ok.error());
  world.environment_ = setup.environment;
  for (const Model& model : setup.models) {
    if (auto ok = world.check(AddModel{model}); !ok) return tl::unexpected(ok.error());
    world.apply(AddModel{model}, instant(0));
  }
  const std::size_t n = setup.entities.size();
  world.entities_.reserve(n), world.radii_.reserve(n);
  world.snapshot_.reserve(n);
  for (const EntitySpec& spec : setup.entities) {
    const Edit spawn = Spawn{spec, kNobody};
    if (auto ok = world.check(spawn); !ok) return tl::unexpected(ok.error());
    world.apply(spawn, instant(0));
  }
  world.snapshot_.shrink();
  world.settle();
  world.structure_ = 0;  // the digest's seed covers the setup
  return world;
}

Slot World::find(const std::string& name) const {
  const WorldNumber number = by_name_.find(name, names());
  return number == kNoEntity ? kNoSlot : slot_of(number);
}

const Model* World::model(const std::string& name) const {
  const auto it = model_by_name_.find(name);
  return it == model_by_name_.end() ? nullptr : models_[it->second].get();
}

const std::string& holder_of(const World& world, WorldNumber number) {
  static const std::string kNobodyHolds;
  const auto held = world.holders().find(number);
  return held == world.holders().end() ? kNobodyHolds : held->second;
}

std::vector<WorldNumber> World::children_of(WorldNumber parent) const {
  std::vector<WorldNumber> children;
  for (const Entity& e : entities_)
    if (e.parent == parent && parent != kNoEntity) children.push_back(e.number);
  return children;
}

std::vector<WorldNumber> World::with_descendants(WorldNumber root) const {
  std::vector<WorldNumber> all{root};
  for (std::size_t i = 0; i < all.size(); ++i)
    for (WorldNumber child : children_of(all[i])) all.push_back(child);
  std::sort(all.begin(), all.end());
  return all;
}

void World::settle() {
  next_ = snapshot_;
  attachments_.clear();
  for (Slot slot : SlotRange(entities_.size()))
    if (entities_[slot].parent != kNoEntity) attachments_.push_back({slot, slot_of(entities_[slot].parent)});
  const auto depth = [&](Slot slot) {
    std::size_t steps = 0;
    for (; entities_[slot].parent != kNoEntity; slot = slot_of(entities_[slot].parent)) ++steps;
    return steps;
  };
  std::stable_sort(attachments_.begin(), attachments_.end(),
                   [&](const Attachment& a, const Attachment& b) { return depth(a.child) < depth(b.child); });
}

namespace {

void ride(State& state, const State& carrier, const Pose& X_PC) {
  state.stamp = std::max(state.stamp, carrier.stamp);
  state.pose = carrier.pose * X_PC;
  state.twist.w = carrier.twist.w;
  state.twist.v = carrier.twist.v + cross(carrier.twist.w, state.pose.p - carrier.pose.p);
  make_canonical(state);
}

}  // namespace

void World::put_attached() {
  for (const Attachment& a : attachments_)
    ride(snapshot_.state(a.child), snapshot_.state(a.parent), entities_[a.child].X_PC);
}

void World::hold(Slot slot) {
  EXPECTS(slot.index() < snapshot_.size() && next_.size() == snapshot_.size());
  next_.state(slot) = snapshot_.state(slot);
  std::copy(snapshot_.tail(slot).begin(), snapshot_.tail(slot).end(), next_.tail(slot).begin());
}

void World::turn() {
  EXPECTS(next_.size() == snapshot_.size());
  for (const Attachment& a : attachments_) {
    next_.state(a.child) = snapshot_.state(a.child);
    ride(next_.state(a.child), next_.state(a.parent), entities_[a.child].X_PC);
    const auto tail = snapshot_.tail(a.child);
    std::copy(tail.begin(), tail.end(), next_.tail(a.child).begin());
  }
  std::swap(snapshot_, next_);
}

std::vector<Slot> World::slots_of(Owner owner) const {
  std::vector<Slot> slots;
  for (Slot slot : SlotRange(entities_.size()))
    if (entities_[slot].owner == owner) slots.push_back(slot);
  return slots;
}

Status World::check(const Edit& edit) const { return std::visit(edits::Check{*this}, edit); }

WorldNumber World::apply(const Edit& edit, Instant now) {
  structure_ = std::visit(edits::StructureHash{structure_}, edit);
  return std::visit(edits::Apply{*this, now}, edit);
}

Slot World::append(const EntitySpec& spec, Owner owner, Instant now) {
  EXPECTS(next_number_ != 0 && find(spec.name) == kNoSlot);  // check() refuses what would break this
  Entity entity;
  entity.number = WorldNumber(next_number_++);
  entity.name = spec.name;
  entity.pose = spec.pose;
  entity.kind = kind_of(spec);
  entity.model = model_by_name_.at(spec.model);
  entity.owner = owner;
  const Model& model = *models_[entity.model];
  const Slot slot = snapshot_.append(entity.number, initial_state(spec.pose, now), tail_size(model));
  radii_.push_back(search_radius(model));
  entities_.push_back(std::move(entity));
  put_at_start(slot);
  by_name_.insert(spec.name, entities_.back().number, names());
  return slot;
}

std::shared_ptr<const EntityKind> World::kind_of(const EntitySpec& spec) {
  EntityKind kind{.model = spec.model,
                  .ns = spec.ns,
                  .frame = spec.frame,
                  .tags = spec.tags,
                  .driver = spec.driver,
                  .components = spec.components,
                  .domain = spec.domain,
                  .control_source = spec.control_source,
                  .controller = spec.controller,
                  .keyframe = spec.keyframe,
                  .sensors = spec.sensors,
                  .edits = spec.edits,
                  .host = spec.host};
  auto& known = kinds_[save(kind)];
  if (!known) known = std::make_shared<const EntityKind>(std::move(kind));
  const std::shared_ptr<const EntityKind> found = known;
  if (kinds_.size() > kinds_at_least_) {
    std::erase_if(kinds_, [](const auto& k) { return k.second.use_count() == 1; });
    kinds_at_least_ = 2 * kinds_.size() + 64;
  }
  return found;
}

void World::put_child_poses(Slot parent, Instant now) {
  for (WorldNumber child : children_of(entities_[parent].number)) {
    const Slot slot = slot_of(child);
    State& state = snapshot_.state(slot);
    const State& carrier = snapshot_.state(parent);
    state.stamp = now;
    state.pose = carrier.pose * entities_[slot].X_PC;
    state.twist.w = carrier.twist.w;
    state.twist.v = carrier.twist.v + cross(carrier.twist.w, state.pose.p - carrier.pose.p);
    ++state.discontinuity;
    make_canonical(state);
    put_child_poses(slot, now);
  }
}

void World::detach(Slot slot) {
  EXPECTS(entities_[slot].parent != kNoEntity);
  entities_[slot].parent = kNoEntity;
  entities_[slot].X_PC = Pose{};
  ++snapshot_.state(slot).discontinuity;
}

// Of what begins in another keyframe than its model's, the base is elsewhere as well.
void World::put_at_start(Slot slot) {
  const Entity& entity = entities_[slot];
  const Model& model = model_of(slot);
  const Model::Keyframe* keyframe = find_keyframe(model, entity.kind->keyframe);
  if (keyframe) {
    State& state = snapshot_.state(slot);
    state.pose = start_pose(model, entity.kind->keyframe, entity.pose);
    make_canonical(state);
  }
  const std::vector<double>& start = keyframe ? keyframe->joints : model.start;
  const std::span<double> tail = snapshot_.tail(slot);
  EXPECTS(start.size() <= tail.size());
  std::fill(tail.begin(), tail.end(), 0.0);
  std::copy(start.begin(), start.end(), tail.begin());
  if (start.empty() || entity.pose == Pose{}) return;
  for (std::size_t i = 0; i + 7 <= model.joints.size(); ++i) {
    if (!is_body_pose(model, i)) continue;
    double* at = &tail[i];  // in the file's frame so far
    const Pose X = entity.pose * Pose{{at[0], at[1], at[2]}, {at[3], at[4], at[5], at[6]}};
    const double there[] = {X.p.x, X.p.y, X.p.z, X.q.w, X.q.x, X.q.y, X.q.z};
    std::transform(std::begin(there), std::end(there), at, canonical);
    i += 6;
  }
}

// The world as the setup made it; an entity that is still there keeps its owner, and its lease as one taken anew.
void World::start_over() {
  std::map<std::string, Owner> owners;
  for (const Entity& entity : entities_) owners[entity.name] = entity.owner;
  Setup setup;
  EXPECTS(load(*setup_, setup));
  ModelFiles files = files_;
  for (std::uint64_t hash : added_files_) files.erase(hash);
  auto fresh = World::build(setup, map_, std::move(files));
  EXPECTS(fresh.has_value());  // it was made before
  fresh->setup_ = setup_;
  for (Entity& entity : fresh->entities_)
    if (const auto it = owners.find(entity.name); it != owners.end()) entity.owner = it->second;
  for (auto& [number, holder] : holders_) {
    const Slot then = slot_of(number), now = fresh->slot_of(number);
    if (then == kNoSlot || now == kNoSlot || entity(then).name != fresh->entity(now).name) continue;
    fresh->apply(Lease{{number}, holder, Lease::Kind::kTake}, instant(0));
  }
  *this = std::move(*fresh);
}

Bytes World::image() const {
  WorldImage image;
  image.states = {snapshot_.states().begin(), snapshot_.states().end()};
  image.environment = environment_;
  image.next_number = next_number_;
  for (const auto& [number, holder] : holders_) image.holders.push_back({number, holder});
  image.structure = structure_;
  for (const auto& [agent, interfaces] : directory_.all()) image.said.push_back({agent, interfaces});
  for (std::uint64_t hash : added_files_) image.files.push_back(*files_.at(hash));
  for (const auto& [hash, bytes] : half_files_) image.half_files.push_back({hash, 0, 0, bytes});
  for (const Entity& entity : entities_) image.entities.push_back(entity.record());
  for (const auto& model : models_) image.models.push_back(*model);
  for (Slot slot : SlotRange(snapshot_.size()))
    image.tails.emplace_back(snapshot_.tail(slot).begin(), snapshot_.tail(slot).end());
  return save(image);
}

// What a world made by edits cannot have: loads of damaged bytes end here.
Status World::check_image() const {
  const auto damaged = [] { return fail(ErrorCode::kInvalid, "the world image is damaged"); };
  if (models_.size() > kMaxModels || model_by_name_.size() != models_.size()) return damaged();
  if (entities_.size() > kMaxEntities || by_name_.size() != entities_.size()) return damaged();
  for (const auto& model : models_)
    if (!convoy::check(*model) || !check_files_of(*model)) return damaged();
  if (!convoy::check(environment_)) return damaged();
  for (Slot slot : SlotRange(entities_.size())) {
    const Entity& e = entities_[slot];
    State state = snapshot_.state(slot);
    const Quat& q = e.X_PC.q;
    const bool attached_finite = is_finite(e.X_PC.p) && std::isfinite(q.w + q.x + q.y + q.z);
    if (!valid_name(e.name) || e.kind->model != models_[e.model]->name || !check_spec(e.spec()) ||
        !check_pose(e.pose) || !attached_finite ||
        (!e.kind->keyframe.empty() && !find_keyframe(*models_[e.model], e.kind->keyframe)) || !make_canonical(state))
      return damaged();
    std::size_t steps = 0;
    for (WorldNumber up = e.parent; up != kNoEntity; up = entities_[slot_of(up)].parent)
      if (slot_of(up) == kNoSlot || ++steps > entities_.size()) return damaged();  // no such parent, or a cycle
    for (double value : snapshot_.tail(slot))
      if (!std::isfinite(value)) return damaged();
  }
  return {};
}

Status World::load_image(ByteView bytes) {
  const auto damaged = [] { return fail(ErrorCode::kInvalid, "the world image is damaged"); };
  WorldImage image;
  if (!load(bytes, image)) return damaged();
  if (image.states.size() != image.entities.size() || image.tails.size() != image.entities.size()) return damaged();
  World next = *this;
  for (std::uint64_t hash : next.added_files_) next.files_.erase(hash);
  next.added_files_.clear(), next.half_files_.clear();
  for (Bytes& bytes : image.files) {
    next.added_files_.push_back(hash64(bytes));
    add(next.files_, std::move(bytes));
  }
  if (image.half_files.size() > kMaxHalfFiles) return damaged();
  for (AddFile& half : image.half_files) next.half_files_[half.hash] = std::move(half.bytes);
  next.models_.clear();
  next.model_by_name_.clear();
  for (Model& model : image.models) {
    next.model_by_name_[model.name] = static_cast<std::uint32_t>(next.models_.size());
    next.models_.push_back(std::make_shared<const Model>(std::move(model)));
  }
  next.entities_.clear();
  next.by_name_.clear();
  next.kinds_.clear();
  next.snapshot_.clear();
  next.radii_.clear();
  for (std::size_t i = 0; i < image.entities.size(); ++i) {
    const EntityRecord& e = image.entities[i];
    if (e.model >= next.models_.size() || e.number == kNoEntity || e.number.value() >= image.next_number ||
        (i > 0 && e.number <= image.entities[i - 1].number) ||
        image.tails[i].size() != tail_size(*next.models_[e.model]))
      return damaged();
    const Slot slot = next.snapshot_.append(e.number, image.states[i], image.tails[i].size());
    std::copy(image.tails[i].begin(), image.tails[i].end(), next.snapshot_.tail(slot).begin());
    next.radii_.push_back(search_radius(*next.models_[e.model]));
    next.entities_.push_back(
        {e.number, e.model, e.parent, e.owner, e.frozen, e.spec.name, e.spec.pose, e.X_PC, next.kind_of(e.spec)});
    next.by_name_.insert(e.spec.name, e.number, next.names());
  }
  next.environment_ = image.environment;
  if (!next.check_image()) return damaged();
  next.next_number_ = image.next_number;
  next.structure_ = image.structure;
  next.holders_.clear();
  for (Held& held : image.holders) {
    if (next.slot_of(held.number) == kNoSlot || !valid_holder(held.holder)) return damaged();
    next.holders_[held.number] = std::move(held.holder);
  }
  next.directory_ = {};
  for (Said& said : image.said) {
    if (next.slot_of(said.agent) == kNoSlot || said.interfaces.size() > kMaxInterfaces) return damaged();
    for (const Interface& i : said.interfaces)
      if (i.kind > Interface::Kind::kServes) return damaged();
    next.directory_.set(said.agent, std::move(said.interfaces));
  }
  next.settle();
  *this = std::move(next);
  return {};
}

}  // namespace convoy
