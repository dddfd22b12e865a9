// Who runs what: entities are shared out over the hosts that are there.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "world/world.h"

namespace convoy {

struct HostName {
  Owner owner = kNobody;
  std::string name;
};

// Who would get a new entity: the named host, or the one with the fewest entities, the lesser name first.
Result<Owner> least_loaded(const World& world, std::vector<HostName> hosts, const std::string& wanted);

// Gives the entities that nobody owns, and that `wanting` says yes to, to the hosts: to the one that their spec names,
// else in turn, in the order of names (host2 before host10); what is attached goes with its parent. Programs that join get
// the agents of their names only. Returns the moves of what is not attached. Names in specs that no host has are put into `unknown`.
std::vector<Move> share_out(World& world, std::vector<HostName> hosts,
                            const std::function<bool(const Entity&)>& wanting, std::vector<std::string>& unknown);

}  // namespace convoy
