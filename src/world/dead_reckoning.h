// Dead reckoning: an entity's last known state, extrapolated to now with a constant twist.
#pragma once

#include "world/snapshot.h"
#include "world/static_map.h"

namespace convoy {

// States are extrapolated at most this far; an older one is shown where it would have been then.
inline constexpr Duration kMostReckoned = std::chrono::milliseconds(250);

// The state at `now`, which may lie before the stamp (then the state as it is): the speed in the body's frame and the
// turn rate stay as they are, so a turning robot goes along an arc. The age is clamped to kMostReckoned, and the way ends
// `radius` m before solid ground, unless it began nearer to it than that. The stamp becomes `now`; velocities are those
// at the end of the arc, and zero for what was stopped by the map.
State dead_reckoned(const State& known, Instant now, const StaticMap& map, double radius);

}  // namespace convoy
