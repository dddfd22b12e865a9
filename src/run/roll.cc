#include "run/roll.h"

#include <algorithm>

namespace convoy {

Status HostStatus::take_report(ByteView payload) {
  HostReport more;
  if (!load(payload, more)) return fail(ErrorCode::kInvalid, "a report is malformed");
  report.robots.insert(report.robots.end(), more.robots.begin(), more.robots.end());
  report.gateway.insert(report.gateway.end(), more.gateway.begin(), more.gateway.end());
  if (more.last) {
    more.robots = std::move(report.robots), more.gateway = std::move(report.gateway);
    report = std::move(more);
    foreign_contacts = std::max(foreign_contacts, report.foreign_contacts);
    reported = true;
  }
  return {};
}

void Roll::join(Owner owner, std::string name) {
  HostStatus& host = hosts_[owner];
  EXPECTS(!host.present);
  host.owner = owner;
  host.name = std::move(name);
  host.gone = false;
}

void Roll::admit(Owner owner, Tick tick) {
  HostStatus& host = hosts_.at(owner);
  EXPECTS(host.joining());
  host.present = true;
  host.joined_at = tick;
}

bool Roll::leave(Owner owner) {
  HostStatus* host = find(owner);
  if (!host) return false;
  host->gone = true;
  return std::exchange(host->present, false);
}

void Roll::leaves_behind(Owner owner, const std::vector<WorldNumber>& robots) {
  for (WorldNumber number : robots) left_behind_[number] = hosts_.at(owner).name;
}

std::vector<WorldNumber> Roll::left_behind(const std::string& name) const {
  std::vector<WorldNumber> robots;
  for (const auto& [number, host] : left_behind_)
    if (host == name) robots.push_back(number);
  return robots;
}

bool Roll::present(Owner owner) const {
  const auto it = hosts_.find(owner);
  return it != hosts_.end() && it->second.present;
}

HostStatus* Roll::find(Owner owner) {
  const auto it = hosts_.find(owner);
  return it == hosts_.end() ? nullptr : &it->second;
}

std::vector<HostName> Roll::present_names() const {
  std::vector<HostName> names;
  for (const auto& [owner, host] : hosts_)
    if (host.present) names.push_back({owner, host.name});
  return names;
}

std::vector<HostName> Roll::names() const {
  std::vector<HostName> names;
  for (const auto& [owner, host] : hosts_)
    if (!host.gone) names.push_back({owner, host.name});
  return names;
}

std::vector<Owner> Roll::present_owners() const {
  std::vector<Owner> owners;
  for (const auto& [owner, host] : hosts_)
    if (host.present) owners.push_back(owner);
  return owners;
}

std::vector<Owner> Roll::joining_owners() const {
  std::vector<Owner> owners;
  for (const auto& [owner, host] : hosts_)
    if (host.joining()) owners.push_back(owner);
  return owners;
}

bool Roll::nobody_present() const {
  return std::none_of(hosts_.begin(), hosts_.end(), [](const auto& h) { return h.second.present; });
}

bool Roll::all_reported() const {
  return std::all_of(hosts_.begin(), hosts_.end(),
                     [](const auto& h) { return !h.second.present || h.second.reported; });
}

std::uint64_t Roll::contacts_between_hosts() const {
  std::uint64_t sum = 0;
  for (const auto& [owner, host] : hosts_) sum += host.foreign_contacts;
  return sum;
}

std::vector<WorldNumber> agents_of(const World& world, Owner owner) {
  std::vector<WorldNumber> agents;
  for (const Entity& entity : world.entities())
    if (entity.owner == owner) agents.push_back(entity.number);
  return agents;
}

}  // namespace convoy
