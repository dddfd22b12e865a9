#include "world/directory.h"

#include <algorithm>

namespace convoy {

void Directory::set(WorldNumber agent, std::vector<Interface> interfaces) {
  const auto before = by_agent_.find(agent);
  if (before == by_agent_.end() ? interfaces.empty() : before->second == interfaces) return;
  ++version_;
  if (before != by_agent_.end()) {
    for (const Interface& i : before->second) {
      auto& names = by_name_[static_cast<std::size_t>(i.kind)];
      const auto named = names.find(i.name);
      if (named == names.end()) continue;
      std::erase(named->second, agent);
      if (named->second.empty()) names.erase(named);
    }
    by_agent_.erase(before);
  }
  for (const Interface& i : interfaces) {
    auto& agents = by_name_[static_cast<std::size_t>(i.kind)][i.name];
    const auto at = std::lower_bound(agents.begin(), agents.end(), agent);
    if (at == agents.end() || *at != agent) agents.insert(at, agent);
  }
  if (!interfaces.empty()) by_agent_.emplace(agent, std::move(interfaces));
}

std::span<const WorldNumber> Directory::who(Interface::Kind kind, std::string_view name) const {
  const auto& names = by_name_[static_cast<std::size_t>(kind)];
  const auto found = names.find(name);
  if (found == names.end()) return {};
  return found->second;
}

}  // namespace convoy
