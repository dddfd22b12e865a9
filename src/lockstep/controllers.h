// The outside programs that each tick of a run in lockstep waits for: which are there, and which still owe a TickDone.
//
//   opened(now, guests)   a tick has begun: each of them that sees it owes a TickDone, at most `deadline` from now
//   done(owner)           it came
//   give_up()             the next tick begins all the same: those that owe have missed their deadline
//
// No clock: times are given. Names come from the scenario; a program that left may come again.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/ports.h"
#include "wire/journal.h"

namespace convoy {

class Controllers {
 public:
  Controllers(const std::vector<std::string>& names, Duration deadline);

  // A connection is ready; it matters only if its name is one of the names.
  void join(Owner owner, const std::string& name);
  void leave(Owner owner);
  // The names that have not come yet, or have left.
  std::vector<std::string> missing() const;

  void opened(Moment now, const std::set<Owner>& guests);
  void done(Owner owner);
  // The tick has ended by a reset: no controller owes anything.
  void forgive();
  // Time was paused: the deadline counts from here.
  void begin_again(Moment now) { since_ = now; }
  std::vector<std::string> owing() const;
  // When the wait is over; in the past if no controller owes anything.
  Moment until() const;
  void give_up();

  // Misses and leaves since the last call, for the journal.
  std::vector<Absent> take_absent() { return std::exchange(absent_, {}); }
  const std::map<std::string, std::uint64_t>& missed() const { return missed_; }  // ticks, by name

 private:
  struct Seat {
    Owner owner = kNobody;
    bool owes = false;
  };
  Duration deadline_;
  std::map<std::string, Seat> seats_;
  Moment since_{};
  std::vector<Absent> absent_;
  std::map<std::string, std::uint64_t> missed_;
};

}  // namespace convoy
