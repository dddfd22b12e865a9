// How beams share a field: what scanners of a plane and of several rings have in common.
#pragma once

#include <cstdint>

#include "convoy/geometry.h"
#include "core/math.h"

namespace convoy {

inline constexpr double kTurn = 2 * math::kPi;  // rad
inline constexpr double kNearlyATurn = 1e-9;    // rad; a field so near to a full turn is one

// rad between two of them. Around a full turn the last one stops short of the first; of a part one is at each end.
inline double step_between(std::uint32_t count, double field) {
  if (count == 1) return 0;
  return field > kTurn - kNearlyATurn ? kTurn / count : field / (count - 1);
}
inline bool is_field(double field) { return field >= 0 && field <= kTurn + kNearlyATurn; }

// Of length 1: to the left of x by the azimuth, above the plane z = 0 by the elevation, rad.
inline Vec3 direction_of(double azimuth, double elevation) {
  double sin_a, cos_a, sin_e, cos_e;
  math::sincos(azimuth, sin_a, cos_a);
  math::sincos(elevation, sin_e, cos_e);
  return {cos_a * cos_e, sin_a * cos_e, sin_e};
}

}  // namespace convoy
