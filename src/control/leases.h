// Leases: which robots one session has for itself. No other session commands those.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "control/roster.h"
#include "control/sessions.h"

namespace convoy::control {

class Leases {
 public:
  bool leased(WorldNumber robot) const { return owners_.count(robot) > 0; }
  bool may_command(WorldNumber robot, const SessionId& session) const;
  Checked<void> check(const RobotEntry& robot, const SessionId& session) const;
  // Does any session but this one have a lease?
  bool others_than(const SessionId& session) const;
  std::vector<WorldNumber> all() const;
  // In the order in which it asked for them.
  std::vector<WorldNumber> of(const SessionId& session) const;

  // Robots that it may command; those that it has already stay where they are in its order.
  void take(const SessionId& session, std::span<const WorldNumber> robots);
  // False: it has no lease of it.
  bool give_back(const SessionId& session, WorldNumber robot);
  void give_back_all(const SessionId& session);

 private:
  std::map<WorldNumber, SessionId> owners_;
  std::map<SessionId, std::vector<WorldNumber>> robots_;
};

}  // namespace convoy::control
