// A follower of a run in lockstep, with a world of its own: a host, which sends the states of its agents, or a guest.
//
// Knows at which boundary its world is, and takes it to the next one when the server reports of what that is made.
#pragma once

#include <functional>

#include "lockstep/gathering.h"

namespace convoy {

class Follower {
 public:
  // States of `me` do not come: they are made here. kNobody: all come.
  Follower(Duration tick_length, Owner me) : tick_length_(tick_length), me_(me) {}

  std::uint32_t run() const { return run_; }
  Tick tick() const { return tick_; }  // the boundary that the snapshot shows
  bool running() const { return running_; }
  Instant now() const { return instant(tick_ * nanos(tick_length_)); }

  // The world has come, as of this boundary.
  void begin_at(std::uint32_t run, Tick tick, const World& world);
  // The tick that begins at tick() has been opened.
  void opened() { running_ = true; }
  Status states(const Payload& payload, World& world);

  // What comes before the edits of a boundary: if it is the next one, the tick that runs is completed, and `turn` makes
  // its states the snapshot.
  Status reach(const Edits& edits, World& world, const std::function<void()>& turn);
  // The edits of the boundary that was reached, each by `apply` at the boundary's instant. A whole reset begins the
  // next run, at its boundary 0. Call expect() after it, once the world has settled.
  Status edit(const Edits& edits, World& world, const std::function<Status(const Edit&, Instant)>& apply);
  // Who sends what, by the world as it is now.
  void expect(const World& world);

 private:
  Duration tick_length_;
  Owner me_;
  std::uint32_t run_ = 0;
  Tick tick_ = 0;
  bool running_ = false;
  Gathering gathering_;
};

}  // namespace convoy
