#include "agent/past_worlds.h"

namespace convoy {

void PastWorlds::before_edit(const World& world) {
  if (states_.empty()) return;
  const Tick newest = states_.rbegin()->first;
  if (changed_.empty() || changed_.rbegin()->first < newest)
    changed_.emplace(newest, std::make_shared<const World>(world));
}

std::optional<World> PastWorlds::at(Tick tick, const World& now) const {
  const auto states = states_.find(tick);
  if (states == states_.end()) return {};
  const auto changed = changed_.lower_bound(tick);
  World out = changed == changed_.end() ? now : *changed->second;
  out.snapshot() = states->second;
  return out;
}

void PastWorlds::forget_before(Tick tick) {
  states_.erase(states_.begin(), states_.lower_bound(tick));
  changed_.erase(changed_.begin(), changed_.lower_bound(tick));
}

}  // namespace convoy
