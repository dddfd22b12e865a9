// What the world knows of each kind of edit: one overload a kind, and one source file a kind with all of them.
//
//   const Status ok = std::visit(edits::Check{world}, edit);
//
// One more kind of edit does not compile until each of these handles it (edits_test.py wants the errors).
// What agents do with edits is written in agent/fleet_edits.h, what the server's runs do in run/.
#pragma once

#include <vector>

#include "world/world.h"

namespace convoy::edits {

// May it be carried out? The text of a refusal is the caller's answer.
struct Check {
  const World& world;
  Status operator()(const Spawn& edit) const;
  Status operator()(const Delete& edit) const;
  Status operator()(const SetState& edit) const;
  Status operator()(const Attach& edit) const;
  Status operator()(const Detach& edit) const;
  Status operator()(const SetEnvironment& edit) const;
  Status operator()(const AddModel& edit) const;
  Status operator()(const Reset& edit) const;
  Status operator()(const Freeze& edit) const;
  Status operator()(const Move& edit) const;
  Status operator()(const Mount& edit) const;
  Status operator()(const AddFile& edit) const;
  Status operator()(const PutBody& edit) const;
  Status operator()(const Return& edit) const;
  Status operator()(const SetPart& edit) const;
  Status operator()(const Lease& edit) const;
  Status operator()(const SetTags& edit) const;
};

// Carries it out at the boundary `now`; it has passed Check. Returns the number of a spawned entity, or kNoEntity.
struct Apply {
  World& world;
  Instant now{};
  WorldNumber operator()(const Spawn& edit) const;
  WorldNumber operator()(const Delete& edit) const;
  WorldNumber operator()(const SetState& edit) const;
  WorldNumber operator()(const Attach& edit) const;
  WorldNumber operator()(const Detach& edit) const;
  WorldNumber operator()(const SetEnvironment& edit) const;
  WorldNumber operator()(const AddModel& edit) const;
  WorldNumber operator()(const Reset& edit) const;
  WorldNumber operator()(const Freeze& edit) const;
  WorldNumber operator()(const Move& edit) const;
  WorldNumber operator()(const Mount& edit) const;
  WorldNumber operator()(const AddFile& edit) const;
  WorldNumber operator()(const PutBody& edit) const;
  WorldNumber operator()(const Return& edit) const;
  WorldNumber operator()(const SetPart& edit) const;
  WorldNumber operator()(const Lease& edit) const;
  WorldNumber operator()(const SetTags& edit) const;
};

// World::structure_hash() after the edit; `before` is the hash before it. Of the canonical bytes of the edit, without
// where anything runs.
struct StructureHash {
  std::uint64_t before = 0;
  std::uint64_t operator()(const Spawn& edit) const;
  std::uint64_t operator()(const Delete& edit) const;
  std::uint64_t operator()(const SetState& edit) const;
  std::uint64_t operator()(const Attach& edit) const;
  std::uint64_t operator()(const Detach& edit) const;
  std::uint64_t operator()(const SetEnvironment& edit) const;
  std::uint64_t operator()(const AddModel& edit) const;
  std::uint64_t operator()(const Reset& edit) const;
  std::uint64_t operator()(const Freeze& edit) const;
  std::uint64_t operator()(const Move& edit) const;
  std::uint64_t operator()(const Mount& edit) const;
  std::uint64_t operator()(const AddFile& edit) const;
  std::uint64_t operator()(const PutBody& edit) const;
  std::uint64_t operator()(const Return& edit) const;
  std::uint64_t operator()(const SetPart& edit) const;
  std::uint64_t operator()(const Lease& edit) const;
  std::uint64_t operator()(const SetTags& edit) const;
};

// Whose states it deletes, moves or places others by.
struct EntitiesOf {
  std::vector<WorldNumber> operator()(const Spawn& edit) const;
  std::vector<WorldNumber> operator()(const Delete& edit) const;
  std::vector<WorldNumber> operator()(const SetState& edit) const;
  std::vector<WorldNumber> operator()(const Attach& edit) const;
  std::vector<WorldNumber> operator()(const Detach& edit) const;
  std::vector<WorldNumber> operator()(const SetEnvironment& edit) const;
  std::vector<WorldNumber> operator()(const AddModel& edit) const;
  std::vector<WorldNumber> operator()(const Reset& edit) const;
  std::vector<WorldNumber> operator()(const Freeze& edit) const;
  std::vector<WorldNumber> operator()(const Move& edit) const;
  std::vector<WorldNumber> operator()(const Mount& edit) const;
  std::vector<WorldNumber> operator()(const AddFile& edit) const;
  std::vector<WorldNumber> operator()(const PutBody& edit) const;
  std::vector<WorldNumber> operator()(const Return& edit) const;
  std::vector<WorldNumber> operator()(const SetPart& edit) const;
  std::vector<WorldNumber> operator()(const Lease& edit) const;
  std::vector<WorldNumber> operator()(const SetTags& edit) const;
};

// Whose agents lose their inner state by it, while the entities stay. Not of a whole reset: there all do.
struct ResetsInside {
  std::vector<WorldNumber> operator()(const Spawn& edit) const;
  std::vector<WorldNumber> operator()(const Delete& edit) const;
  std::vector<WorldNumber> operator()(const SetState& edit) const;
  std::vector<WorldNumber> operator()(const Attach& edit) const;
  std::vector<WorldNumber> operator()(const Detach& edit) const;
  std::vector<WorldNumber> operator()(const SetEnvironment& edit) const;
  std::vector<WorldNumber> operator()(const AddModel& edit) const;
  std::vector<WorldNumber> operator()(const Reset& edit) const;
  std::vector<WorldNumber> operator()(const Freeze& edit) const;
  std::vector<WorldNumber> operator()(const Move& edit) const;
  std::vector<WorldNumber> operator()(const Mount& edit) const;
  std::vector<WorldNumber> operator()(const AddFile& edit) const;
  std::vector<WorldNumber> operator()(const PutBody& edit) const;
  std::vector<WorldNumber> operator()(const Return& edit) const;
  std::vector<WorldNumber> operator()(const SetPart& edit) const;
  std::vector<WorldNumber> operator()(const Lease& edit) const;
  std::vector<WorldNumber> operator()(const SetTags& edit) const;
};

// Does the run begin anew with it, at tick 0?
struct RestartsRun {
  bool operator()(const Spawn& edit) const;
  bool operator()(const Delete& edit) const;
  bool operator()(const SetState& edit) const;
  bool operator()(const Attach& edit) const;
  bool operator()(const Detach& edit) const;
  bool operator()(const SetEnvironment& edit) const;
  bool operator()(const AddModel& edit) const;
  bool operator()(const Reset& edit) const;
  bool operator()(const Freeze& edit) const;
  bool operator()(const Move& edit) const;
  bool operator()(const Mount& edit) const;
  bool operator()(const AddFile& edit) const;
  bool operator()(const PutBody& edit) const;
  bool operator()(const Return& edit) const;
  bool operator()(const SetPart& edit) const;
  bool operator()(const Lease& edit) const;
  bool operator()(const SetTags& edit) const;
};

// Does it change what World::image() holds besides states and owners? (What a named reset detaches, and files, show in
// the next checkpoint's world: an image holds all files, which may be many pieces.)
struct ChangesImage {
  bool operator()(const Spawn& edit) const;
  bool operator()(const Delete& edit) const;
  bool operator()(const SetState& edit) const;
  bool operator()(const Attach& edit) const;
  bool operator()(const Detach& edit) const;
  bool operator()(const SetEnvironment& edit) const;
  bool operator()(const AddModel& edit) const;
  bool operator()(const Reset& edit) const;
  bool operator()(const Freeze& edit) const;
  bool operator()(const Move& edit) const;
  bool operator()(const Mount& edit) const;
  bool operator()(const AddFile& edit) const;
  bool operator()(const PutBody& edit) const;
  bool operator()(const Return& edit) const;
  bool operator()(const SetPart& edit) const;
  bool operator()(const Lease& edit) const;
  bool operator()(const SetTags& edit) const;
};

// The name of the entity that it makes; nullptr: none.
struct SpawnedName {
  const std::string* operator()(const Spawn& edit) const;
  const std::string* operator()(const Delete& edit) const;
  const std::string* operator()(const SetState& edit) const;
  const std::string* operator()(const Attach& edit) const;
  const std::string* operator()(const Detach& edit) const;
  const std::string* operator()(const SetEnvironment& edit) const;
  const std::string* operator()(const AddModel& edit) const;
  const std::string* operator()(const Reset& edit) const;
  const std::string* operator()(const Freeze& edit) const;
  const std::string* operator()(const Move& edit) const;
  const std::string* operator()(const Mount& edit) const;
  const std::string* operator()(const AddFile& edit) const;
  const std::string* operator()(const PutBody& edit) const;
  const std::string* operator()(const Return& edit) const;
  const std::string* operator()(const SetPart& edit) const;
  const std::string* operator()(const Lease& edit) const;
  const std::string* operator()(const SetTags& edit) const;
};

}  // namespace convoy::edits

namespace convoy {

inline std::vector<WorldNumber> entities_of(const Edit& edit) { return std::visit(edits::EntitiesOf{}, edit); }
inline std::vector<WorldNumber> resets_inside(const Edit& edit) { return std::visit(edits::ResetsInside{}, edit); }
inline bool restarts_run(const Edit& edit) { return std::visit(edits::RestartsRun{}, edit); }
inline bool changes_image(const Edit& edit) { return std::visit(edits::ChangesImage{}, edit); }

}  // namespace convoy
