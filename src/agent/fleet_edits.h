// What a fleet's agents do with each kind of edit: one overload a kind. What the world does is in world/edits/.
#pragma once

#include <vector>

#include "agent/fleet.h"

namespace convoy {

// Whose agents go on from the edited state, as before the edit is applied.
struct RereadBy {
  const World& world;
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

// Agents come and go by it, once the world has applied it. False: a Move's inner bytes are not those of such an agent.
struct FollowEdit {
  Fleet& fleet;
  Instant now{};
  WorldNumber made = kNoEntity;  // what the edit has spawned
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

}  // namespace convoy
