// Assigns entities to hosts.
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

// "host0.scout" runs one robot alone and gets no other: one whose spec names that host.
bool is_for_one(const std::string& host);

// The host for a new entity: the wanted one, else the one with the fewest entities; of equals the first by name.
Result<Owner> least_loaded(const World& world, std::vector<HostName> hosts, const std::string& wanted);

// Assigns every entity without an owner for which `wanting` is true: to the host that its spec names, else to the hosts
// in turn, by name (host2 before host10). A program that joins (ComponentSpec) gets the agent of its own name
// only, and a robot that has a host for itself goes nowhere else. Appends to `unknown` the host names that specs ask for and no host has.
std::vector<Move> share_out(World& world, std::vector<HostName> hosts,
                            const std::function<bool(const Entity&)>& wanting, std::vector<std::string>& unknown);

}  // namespace convoy
