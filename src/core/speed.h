// How fast simulated time may go against real time: the bounds that every door has.
#pragma once

#include "convoy/result.h"

namespace convoy {

// Simulated seconds per second. 0 stands for as fast as possible, and is none of these.
inline constexpr double kLeastSpeed = 1e-3, kGreatestSpeed = 1e3;

constexpr bool is_speed(double factor) { return factor >= kLeastSpeed && factor <= kGreatestSpeed; }

inline tl::unexpected<Error> no_speed() {
  return fail(ErrorCode::kInvalid,
              "the speed is a factor of real time from 0.001 to 1000, or 0 for as fast as possible");
}

}  // namespace convoy
