// Which robots sessions have leased: whose they are stands in the world; the order in which a session asked stands here.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "control/roster.h"
#include "control/sessions.h"

namespace convoy::control {

class Leases {
 public:
  // `sessions` outlives it.
  explicit Leases(const Sessions& sessions) : sessions_(sessions) {}

  // As the world has them now.
  void follow(const World& world) { holders_ = world.holders(); }
  const std::string& holder(WorldNumber robot) const;  // empty: nobody
  bool leased(WorldNumber robot) const { return holders_.count(robot) > 0; }
  bool may_command(WorldNumber robot, const SessionId& session) const;
  Checked<void> check(const RobotEntry& robot, const SessionId& session) const;
  // Is any robot another's than this session's?
  bool others_than(const SessionId& session) const;
  const std::map<WorldNumber, std::string>& all() const { return holders_; }
  // In the order in which it asked for them.
  std::vector<WorldNumber> of(const SessionId& session) const;
  // Of these robots those that are not in of().
  std::vector<WorldNumber> not_of(const SessionId& session, std::span<const WorldNumber> robots) const;

  // It has got them: they stand behind those that it had.
  void took(const SessionId& session, std::span<const WorldNumber> robots);
  void forget(const SessionId& session) { asked_.erase(session); }

 private:
  const Sessions& sessions_;
  std::map<WorldNumber, std::string> holders_;
  std::map<SessionId, std::vector<WorldNumber>> asked_;
};

}  // namespace convoy::control
