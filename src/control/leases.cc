#include "control/leases.h"

#include <algorithm>

namespace convoy::control {

const std::string& Leases::holder(WorldNumber robot) const {
  static const std::string kNobody;
  const auto it = holders_.find(robot);
  return it == holders_.end() ? kNobody : it->second;
}

bool Leases::may_command(WorldNumber robot, const SessionId& session) const {
  const std::string& held = holder(robot);
  return held.empty() || held == sessions_.holder(session);
}

Checked<void> Leases::check(const RobotEntry& robot, const SessionId& session) const {
  if (may_command(robot.number, session)) return {};
  return refuse(Reason::kLeased, "'" + holder(robot.number) + "' has leased '" + robot.name + "'");
}

bool Leases::others_than(const SessionId& session) const {
  return std::any_of(holders_.begin(), holders_.end(),
                     [&](const auto& one) { return one.second != sessions_.holder(session); });
}

std::vector<WorldNumber> Leases::of(const SessionId& session) const {
  const auto it = asked_.find(session);
  if (it == asked_.end()) return {};
  std::vector<WorldNumber> out = it->second;
  std::erase_if(out, [&](WorldNumber robot) { return holder(robot) != sessions_.holder(session); });
  return out;
}

std::vector<WorldNumber> Leases::not_of(const SessionId& session, std::span<const WorldNumber> robots) const {
  const std::vector<WorldNumber> mine = of(session);
  std::vector<WorldNumber> out(robots.begin(), robots.end());
  std::erase_if(out, [&](WorldNumber robot) { return std::find(mine.begin(), mine.end(), robot) != mine.end(); });
  return out;
}

void Leases::took(const SessionId& session, std::span<const WorldNumber> robots) {
  std::vector<WorldNumber>& mine = asked_[session];
  for (WorldNumber robot : robots) std::erase(mine, robot), mine.push_back(robot);
}

}  // namespace convoy::control
