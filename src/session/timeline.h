// When ticks begin in free mode: the server's clock against simulated time, in stretches of constant speed.
//
// A Pace holds from a boundary on: at which moment of the server's clock that boundary is, how fast time passes from
// there, and at which boundary it stops (pause, step). All hosts have the same paces, so "paused at tick 1200" means
// the same everywhere. A pace that reaches a host beyond its boundary holds from the host's own boundary on.
#pragma once

#include <span>
#include <vector>

#include "wire/live.h"

namespace convoy {

class Timeline {
 public:
  Timeline(Duration tick, const Pace& first) : tick_(tick), paces_{first} {}

  // A newer pace: it replaces what it overlaps, and all of an older run.
  void set(const Pace& pace);
  std::uint32_t run() const { return paces_.front().run; }
  // The moment at which `tick` begins; kNever while it may not. `tick` must not be older than the paces kept.
  Moment begin_of(Tick tick) const { return moment_of(tick, Duration(0)); }
  // The moment that comes `after` the beginning of the tick, in simulated time; kNever as above.
  Moment moment_of(Tick tick, Duration after) const;
  // Simulated time at `now`, at most that of the limit; continuous, never before the first pace's boundary.
  Instant sim_at(Moment now) const;
  // The pace that rules at boundary `tick`.
  const Pace& ruling(Tick tick) const;
  // It and all after it.
  std::span<const Pace> from(Tick tick) const { return {&ruling(tick), paces_.data() + paces_.size()}; }
  const Pace& last() const { return paces_.back(); }
  // Paces that are over before boundary `tick` are forgotten.
  void forget_before(Tick tick);

 private:
  Duration tick_;
  std::vector<Pace> paces_;  // by tick; never empty
};

}  // namespace convoy
