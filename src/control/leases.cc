#include "control/leases.h"

#include <algorithm>

#include "core/check.h"

namespace convoy::control {

bool Leases::may_command(WorldNumber robot, const SessionId& session) const {
  const auto it = owners_.find(robot);
  return it == owners_.end() || it->second == session;
}

Checked<void> Leases::check(const RobotEntry& robot, const SessionId& session) const {
  if (may_command(robot.number, session)) return {};
  return refuse(Reason::kLeased, "another session has leased '" + robot.name + "'");
}

bool Leases::others_than(const SessionId& session) const {
  return std::any_of(owners_.begin(), owners_.end(), [&](const auto& one) { return one.second != session; });
}

std::vector<WorldNumber> Leases::all() const {
  std::vector<WorldNumber> out;
  for (const auto& [robot, session] : owners_) out.push_back(robot);
  return out;
}

std::vector<WorldNumber> Leases::of(const SessionId& session) const {
  const auto it = robots_.find(session);
  return it == robots_.end() ? std::vector<WorldNumber>{} : it->second;
}

void Leases::take(const SessionId& session, std::span<const WorldNumber> robots) {
  std::vector<WorldNumber>& mine = robots_[session];
  for (WorldNumber robot : robots) {
    EXPECTS(may_command(robot, session));
    if (owners_.emplace(robot, session).second) mine.push_back(robot);
  }
}

bool Leases::give_back(const SessionId& session, WorldNumber robot) {
  const auto owner = owners_.find(robot);
  if (owner == owners_.end() || owner->second != session) return false;
  owners_.erase(owner);
  EXPECTS(std::erase(robots_.at(session), robot) == 1);
  return true;
}

void Leases::give_back_all(const SessionId& session) {
  for (WorldNumber robot : of(session)) owners_.erase(robot);
  robots_.erase(session);
}

}  // namespace convoy::control
