// Who is sent away although it lives: hosts that do not finish their tick, and members that somebody wants gone.
#pragma once

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "run/run.h"
#include "session/life_links.h"
#include "session/membership.h"

namespace convoy {

struct EvictionRules {
  Duration tick_deadline = std::chrono::minutes(10);  // for a host to finish a tick that others wait for; 0: none
  Duration end_deadline = std::chrono::seconds(5);    // the same once the run is to end; always on
};

class Evictions {
 public:
  explicit Evictions(EvictionRules rules) : rules_(rules) {}

  void kick(Owner member) { kicked_.insert(member); }
  // Somebody wants the run to end.
  void run_shall_end() { ending_ = true; }
  // Who is due now, each once. Time counts while this process gets to ask, so that one that stood still sends nobody
  // away: at most a second from one call to the next. A host that a debugger looks at has all the time.
  std::vector<std::pair<Owner, LeaveReason>> due(const Run& run, const LifeLinks& life, Moment now);
  // When to ask again; kNever: as soon as something else happens.
  Moment deadline() const { return waited_.empty() ? kNever : last_ + kEvery; }

 private:
  static constexpr Duration kEvery = std::chrono::seconds(1);
  struct Wait {
    Tick tick = 0;
    Duration so_far{};
  };

  EvictionRules rules_;
  std::set<Owner> kicked_;
  bool ending_ = false;
  std::map<Owner, Wait> waited_;  // hosts that others wait for
  Moment last_{};
};

}  // namespace convoy
