#include "world/owners.h"

#include <algorithm>
#include <map>
#include <set>

namespace convoy {
namespace {

// A program that joins has the agent of its name, and no other.
void leave_out_programs(const World& world, std::vector<HostName>& hosts) {
  std::erase_if(hosts, [&](const HostName& host) {
    const Slot slot = world.find(host.name);
    return slot != kNoSlot && joins(world.entity(slot).kind->components);
  });
}

}  // namespace

Result<Owner> least_loaded(const World& world, std::vector<HostName> hosts, const std::string& wanted) {
  std::sort(hosts.begin(), hosts.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  if (!wanted.empty()) {
    for (const HostName& host : hosts)
      if (host.name == wanted) return host.owner;
    return fail(ErrorCode::kNotFound, "no host named '" + wanted + "' takes part");
  }
  leave_out_programs(world, hosts);
  if (hosts.empty()) return fail(ErrorCode::kUnavailable, "no robot client takes part");
  std::map<Owner, std::size_t> load;
  for (const Entity& entity : world.entities()) ++load[entity.owner];
  const auto least = std::min_element(hosts.begin(), hosts.end(),
                                      [&](const auto& a, const auto& b) { return load[a.owner] < load[b.owner]; });
  return least->owner;
}

std::vector<Move> share_out(World& world, std::vector<HostName> hosts,
                            const std::function<bool(const Entity&)>& wanting, std::vector<std::string>& unknown) {
  std::vector<Move> moves;
  if (hosts.empty()) return moves;
  std::sort(hosts.begin(), hosts.end(), [](const auto& a, const auto& b) {
    return a.name.size() != b.name.size() ? a.name.size() < b.name.size() : a.name < b.name;
  });
  const auto free = [&](const Entity& e) { return e.owner == kNobody && wanting(e); };
  std::map<std::string, Owner> owner_of;  // of two of a name, the first
  for (const HostName& host : hosts) owner_of.emplace(host.name, host.owner);
  leave_out_programs(world, hosts);
  std::size_t turn = 0;
  std::set<std::string> missing;
  for (Slot slot : SlotRange(world.entities().size())) {
    const Entity& entity = world.entity(slot);
    if (!free(entity)) continue;
    const std::string& name = entity.kind->host;
    const auto named = owner_of.find(name);
    if (named == owner_of.end() && !name.empty() && missing.insert(name).second) unknown.push_back(name);
    if (named == owner_of.end() && (hosts.empty() || joins(entity.kind->components))) continue;
    const Owner owner = named != owner_of.end() ? named->second : hosts[turn++ % hosts.size()].owner;
    world.set_owner(slot, owner);
    moves.push_back(Move{entity.number, owner, {}});
  }
  return moves;
}

}  // namespace convoy
