// The world at one boundary: entities by world number with their states, models, attachments and the environment.
//
// The server keeps the authoritative one, every host a mirror; both change it by the same edits, so that they are equal
// word for word. Which owner runs an entity is stored here too, but never enters the digest.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "convoy/result.h"
#include "core/check.h"
#include "core/fields.h"
#include "world/directory.h"
#include "world/edit.h"
#include "world/model_files.h"
#include "world/name_index.h"
#include "world/setup.h"
#include "world/snapshot.h"
#include "world/static_map.h"

namespace convoy {

// An entity as it is sent to others: in images, in differences.
struct EntityRecord {
  WorldNumber number = kNoEntity;
  EntitySpec spec;
  std::uint32_t model = 0;         // index into World::models()
  WorldNumber parent = kNoEntity;  // what it is attached to
  Pose X_PC;                       // its pose in the parent's frame while attached
  bool frozen = false;             // lost its agent; stays in place
  Owner owner = kNobody;           // not part of the digest

  friend bool operator==(const EntityRecord&, const EntityRecord&) = default;
};
template <class V, MaybeConst<EntityRecord> T>
void fields(V& v, T& e) {
  v("number", e.number), v("spec", e.spec), v("model", e.model), v("parent", e.parent), v("X_PC", e.X_PC);
  v("frozen", e.frozen), v("owner", e.owner);
}

// What many entities have in common: all of their spec but name and pose.
struct EntityKind {
  std::string model, ns, frame;
  std::vector<std::string> tags;
  DriverSpec driver;
  std::vector<ComponentSpec> components;
  std::uint32_t domain = 0;
  std::optional<ControlSource> control_source;
  std::optional<ControllerSpec> controller;
  std::string keyframe;
  std::vector<SensorSpec> sensors;
  std::vector<EditKind> edits;
  std::string host;
};
template <class V, MaybeConst<EntityKind> T>
void fields(V& v, T& k) {
  v("model", k.model), v("ns", k.ns), v("frame", k.frame), v("tags", k.tags), v("driver", k.driver),
      v("components", k.components), v("domain", k.domain);
  v("control_source", k.control_source), v("controller", k.controller), v("keyframe", k.keyframe);
  v("host", k.host), v("sensors", k.sensors), v("edits", k.edits);
}

// An entity as the world keeps it. There may be a million of them: kinds are shared.
struct Entity {
  WorldNumber number = kNoEntity;
  std::uint32_t model = 0;
  WorldNumber parent = kNoEntity;
  Owner owner = kNobody;
  bool frozen = false;
  std::string name;
  Pose pose;  // X_WB at its creation
  Pose X_PC;
  std::shared_ptr<const EntityKind> kind;

  EntitySpec spec() const;
  EntityRecord record() const { return {number, spec(), model, parent, X_PC, frozen, owner}; }
  friend bool operator==(const Entity& a, const Entity& b) { return a.record() == b.record(); }
};

// Largest number of entities in one world.
inline constexpr std::size_t kMaxEntities = 1'000'000;
inline constexpr std::size_t kMaxModels = 10'000;

namespace edits {
struct Check;
struct Apply;
}  // namespace edits

class World {
 public:
  // The world at boundary 0. The setup's map is turned into the static map once and shared. `saved`, if the caller has
  // it anyway, is the setup's canonical bytes: what a reset goes back to.
  static Result<World> make(const Setup& setup, std::shared_ptr<const Bytes> saved = nullptr);

  const std::vector<Entity>& entities() const { return entities_; }  // by slot, the snapshot's order
  const Entity& entity(Slot slot) const { return entities_[slot]; }
  const Snapshot& snapshot() const { return snapshot_; }
  Snapshot& snapshot() { return snapshot_; }
  // The states at the next boundary, as they come in; same slots. turn() puts what is attached where its parent has
  // gone, on any host, and makes them the snapshot.
  Snapshot& next() { return next_; }
  void turn();
  // The entity's next state is its present one: its agent was lost in the tick.
  void hold(Slot slot);
  // The same for the snapshot itself, where states come without tick boundaries: in free mode.
  void put_attached();
  // After edits: the next states start as a copy of the edited snapshot.
  void settle();
  // Shared and never changed: a pointer to a model outlives edits.
  const std::vector<std::shared_ptr<const Model>>& models() const { return models_; }
  const Model& model_of(Slot slot) const { return *models_[entities_[slot].model]; }
  // Joint positions, then velocities: the tail without the wrench.
  std::span<const double> joints(Slot slot) const { return snapshot_.tail(slot).first(joints_size(model_of(slot))); }
  std::span<double> joints(Slot slot) { return snapshot_.tail(slot).first(joints_size(model_of(slot))); }
  // Is any entity attached, as of the last settle()?
  bool any_attached() const { return !attachments_.empty(); }
  const ModelFiles& files() const { return files_; }
  const Environment& environment() const { return environment_; }
  const StaticMap& map() const { return *map_; }
  std::shared_ptr<const StaticMap> shared_map() const { return map_; }  // outlives the world
  std::span<const double> radii() const { return radii_; }              // bounding radii by slot, m
  std::uint64_t seed() const { return seed_; }
  WorldNumber next_number() const { return WorldNumber(next_number_); }

  Slot slot_of(WorldNumber number) const { return snapshot_.slot_of(number); }
  Slot find(const std::string& name) const;                        // kNoSlot if no entity has it
  const Model* model(const std::string& name) const;               // nullptr if unknown
  std::vector<WorldNumber> children_of(WorldNumber parent) const;  // direct ones, ascending
  // The entity, and all that hangs on it, ascending.
  std::vector<WorldNumber> with_descendants(WorldNumber root) const;
  // Slots of `owner`, ascending: the order of its States records.
  std::vector<Slot> slots_of(Owner owner) const;

  // Would the edit be carried out? The text is the caller's answer.
  Status check(const Edit& edit) const;
  // Carries it out at the boundary `now`. The edit must pass check(). Returns the number of a spawned entity, or 0.
  WorldNumber apply(const Edit& edit, Instant now);
  // Who alone commands what is leased: see holder_of().
  const std::map<WorldNumber, std::string>& holders() const { return holders_; }
  // What agents have reported of their nodes; deleted, frozen and reset ones have none here.
  const Directory& directory() const { return directory_; }
  Directory& directory() { return directory_; }
  // Owners are given apart from the world's own history.
  void set_owner(Slot slot, Owner owner) {
    EXPECTS(slot.index() < entities_.size());
    entities_[slot].owner = owner;
  }

  // Covers all that is not in the states: names, models, attachments, frozen ones, environment, in order of change.
  std::uint64_t structure_hash() const { return structure_; }

  // All of it for a late joiner or a checkpoint; the static map travels with the setup.
  Bytes image() const;
  Status load_image(ByteView bytes);

 private:
  friend struct edits::Check;  // they are the world's own functions, a file for each kind of edit
  friend struct edits::Apply;
  static Result<World> build(const Setup& setup, std::shared_ptr<const StaticMap> map, ModelFiles files);
  Slot append(const EntitySpec& spec, Owner owner, Instant now);
  std::shared_ptr<const EntityKind> kind_of(const EntitySpec& spec);
  auto names() const {
    return [this](WorldNumber number) -> const std::string& { return entities_[slot_of(number)].name; };
  }
  void put_child_poses(Slot parent, Instant now);
  void put_at_start(Slot slot);
  void start_over();
  void detach(Slot slot);
  Status check_image() const;
  Status check_files_of(const Model& model) const;

  std::shared_ptr<const StaticMap> map_;  // shared by every copy: it never changes
  std::uint64_t seed_ = 1;
  std::vector<std::shared_ptr<const Model>> models_;
  std::map<std::string, std::uint32_t> model_by_name_;
  ModelFiles files_;
  std::vector<std::uint64_t> added_files_;     // by edits, in their order
  std::map<std::uint64_t, Bytes> half_files_;  // pieces so far
  BySlot<Entity> entities_;
  std::map<Bytes, std::shared_ptr<const EntityKind>> kinds_;  // by their canonical bytes
  std::size_t kinds_at_least_ = 64;                           // when to search for kinds without entities
  NameIndex by_name_;
  Snapshot snapshot_, next_;
  struct Attachment {
    Slot child, parent;
  };
  std::vector<Attachment> attachments_;  // parents before their children; made by settle()
  BySlot<double> radii_;
  Environment environment_;
  Directory directory_;
  std::map<WorldNumber, std::string> holders_;  // of what is leased
  std::uint32_t next_number_ = 1;
  std::uint64_t structure_ = 0;
  std::shared_ptr<const Bytes> setup_;  // what a reset goes back to: canonical bytes, a third of a Setup's size
};

// The state of what is made at a pose: at rest.
State initial_state(const Pose& pose, Instant now);

// Who alone commands it, by a lease; empty: nobody has one.
const std::string& holder_of(const World& world, WorldNumber number);
// Who a lease may be held by: 1 to 128 of letters, digits and _ . : / @ -
bool valid_holder(const std::string& name);
inline constexpr const char* kHolderRule = "a holder's name is 1 to 128 letters, digits and _ . : / @ -";

// Names that an entity may have: letters, digits and '_', a letter first, 1 to 128 of them.
bool valid_name(const std::string& name);
// Of a robot client: a name, or two with a dot between them (see is_for_one()).
bool valid_client_name(const std::string& name);

}  // namespace convoy
