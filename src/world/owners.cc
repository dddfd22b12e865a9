#include "world/owners.h"

#include <algorithm>
#include <map>
#include <set>

namespace convoy {
namespace {

// A program that joins has the agent of its name, and no other.
void leave_out_reserved(const World& world, std::vector<HostName>& hosts) {
  std::erase_if(hosts, [&](const HostName& host) {
    const Slot slot = world.find(host.name);
    return is_for_one(host.name) || (slot != kNoSlot && joins(world.entity(slot).kind->components));
  });
}

bool runs_one(const World& world, Owner host) {
  return std::any_of(world.entities().begin(), world.entities().end(),
                     [&](const Entity& entity) { return entity.owner == host; });
}

}  // namespace

bool is_for_one(const std::string& host) { return host.find('.') != std::string::npos; }

Result<Owner> least_loaded(const World& world, std::vector<HostName> hosts, const std::string& wanted) {
  std::sort(hosts.begin(), hosts.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  if (!wanted.empty()) {
    for (const HostName& host : hosts) {
      if (host.name != wanted) continue;
      if (is_for_one(wanted) && runs_one(world, host.owner))
        return fail(ErrorCode::kState, "'" + wanted + "' is for one robot, and has one");
      return host.owner;
    }
    return fail(ErrorCode::kNotFound, "no host named '" + wanted + "' takes part");
  }
  leave_out_reserved(world, hosts);
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
  leave_out_reserved(world, hosts);
  std::size_t turn = 0;
  std::set<std::string> missing;
  for (Slot slot : SlotRange(world.entities().size())) {
    const Entity& entity = world.entity(slot);
    if (!free(entity)) continue;
    const std::string& name = entity.kind->host;
    const auto named = owner_of.find(name);
    if (named == owner_of.end() && !name.empty() && missing.insert(name).second) unknown.push_back(name);
    const bool alone = joins(entity.kind->components) || is_for_one(name);
    if (named == owner_of.end() && (hosts.empty() || alone)) continue;
    const Owner owner = named != owner_of.end() ? named->second : hosts[turn++ % hosts.size()].owner;
    world.set_owner(slot, owner);
    moves.push_back(Move{entity.number, owner, {}});
  }
  return moves;
}

}  // namespace convoy
