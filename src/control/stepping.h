// Stepped time: each session that steps has a boundary up to which it lets the world go, and the least of them counts.
//
//   enters     -> holds the world; held_at() reports where, unless the world is held already
//   allows n   -> its boundary is n further than where the world waits
//   gives up   -> what it had allowed and was not used is taken back
//   leaves     -> the world goes on without it
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "agent/gateway.h"
#include "control/sessions.h"

namespace convoy::control {

class Stepping {
 public:
  // The boundary of the world for this host's agents.
  const HostPosition& position() const { return position_; }
  void reached(Tick tick) { position_.tick = tick; }
  // True: a new run has begun, at whose first boundary the sessions that step rest.
  bool at_boundary(const HostPosition& position);

  // As Gateway::horizon() and awaits_held_at().
  std::optional<Tick> horizon() const;
  bool entering() const;
  bool steps(const SessionId& session) const { return holds_.count(session) > 0; }
  // The world is where this session has let it go.
  bool rests(const SessionId& session) const;

  // The boundary at which the world rests then; nothing: held_at() will report it.
  std::optional<Tick> enter(const SessionId& session);
  // Those that entered, and rest at `tick` now.
  std::vector<SessionId> held_at(std::uint32_t run, Tick tick);
  // The boundary at which a step of so many ticks ends. It rests.
  Tick allow(const SessionId& session, Tick ticks);
  void give_up(const SessionId& session);
  void leave(const SessionId& session) { holds_.erase(session); }

 private:
  struct Hold {
    Tick through = 0;       // the boundary up to which the world may go
    bool entering = false;  // where the world waits for it was not reported yet
  };
  std::map<SessionId, Hold> holds_;
  HostPosition position_;
};

}  // namespace convoy::control
