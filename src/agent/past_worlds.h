// A world as it was at boundaries that somebody may still need: a copy of its states for each, of all else only where
// edits have changed it since.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "world/world.h"

namespace convoy {

class PastWorlds {
 public:
  bool empty() const { return states_.empty(); }
  // The boundary that the world shows will be needed.
  void keep(Tick tick, const World& world) { states_.try_emplace(tick, world.snapshot()); }
  // Before edits of the world at this boundary.
  void before_edit(const World& world);
  // As it was then; nothing: it was not kept.
  std::optional<World> at(Tick tick, const World& now) const;
  // None before this one is needed any more.
  void forget_before(Tick tick);
  void clear() { states_.clear(), changed_.clear(); }

 private:
  std::map<Tick, Snapshot> states_;
  std::map<Tick, std::shared_ptr<const World>> changed_;  // all but states, up to this boundary
};

}  // namespace convoy
