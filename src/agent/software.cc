#include "agent/software.h"

namespace convoy {

std::string in_domain(std::uint32_t domain, std::string_view name) {
  return domain == 0 ? std::string(name) : std::to_string(domain) + ":" + std::string(name);
}

std::vector<WorldNumber> AgentOutside::subscribers(std::string_view topic) const {
  const auto all = directory_.who(Interface::Kind::kSubscribes, in_domain(domain_, topic));
  std::vector<WorldNumber> others(all.begin(), all.end());
  std::erase(others, self_);
  return others;
}

// The first by number, as inside one graph the first that was made answers.
WorldNumber AgentOutside::server(std::string_view service) const {
  for (WorldNumber agent : directory_.who(Interface::Kind::kServes, in_domain(domain_, service)))
    if (agent != self_) return agent;
  return kNoEntity;
}

void apply_announcement(World& world, const Message& message) {
  if (message.topic != kInterfacesTopic || world.slot_of(message.from) == kNoSlot) return;
  InterfacesMessage announced;
  if (load(message.payload, announced) && announced.all.size() <= kMaxInterfaces)
    world.directory().set(message.from, std::move(announced.all));
}

}  // namespace convoy
