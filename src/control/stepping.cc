#include "control/stepping.h"

#include <algorithm>

#include "core/check.h"

namespace convoy::control {

bool Stepping::at_boundary(const HostPosition& position) {
  const bool anew = position.run != position_.run;
  EXPECTS(anew || position.tick >= position_.tick);
  position_ = position;
  if (anew)
    for (auto& [session, hold] : holds_) hold.through = 0;
  return anew;
}

std::optional<Tick> Stepping::horizon() const {
  std::optional<Tick> least;
  for (const auto& [session, hold] : holds_) least = std::min(least.value_or(hold.through), hold.through);
  return least;
}

bool Stepping::entering() const {
  return std::any_of(holds_.begin(), holds_.end(), [](const auto& one) { return one.second.entering; });
}

bool Stepping::rests(const SessionId& session) const {
  const auto it = holds_.find(session);
  return it != holds_.end() && !it->second.entering && it->second.through <= position_.tick;
}

std::optional<Tick> Stepping::enter(const SessionId& session) {
  EXPECTS(!steps(session));
  const std::optional<Tick> held = horizon();
  holds_[session] = {held.value_or(position_.tick), !held};
  if (!held) return std::nullopt;
  return std::max(*held, position_.tick);
}

std::vector<SessionId> Stepping::held_at(std::uint32_t run, Tick tick) {
  std::vector<SessionId> out;
  if (run != position_.run) return out;
  for (auto& [session, hold] : holds_) {
    if (!hold.entering) continue;
    hold = {tick, false};
    out.push_back(session);
  }
  return out;
}

Tick Stepping::allow(const SessionId& session, Tick ticks) {
  EXPECTS(rests(session));
  return holds_.at(session).through = position_.tick + ticks;
}

void Stepping::give_up(const SessionId& session) {
  if (const auto it = holds_.find(session); it != holds_.end())
    it->second.through = std::min(it->second.through, position_.tick);
}

}  // namespace convoy::control
