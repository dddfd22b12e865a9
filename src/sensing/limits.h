// What models of sensors have in common in what they may be.
#pragma once

#include <string>

namespace convoy {

inline constexpr double kMaxRange = 1e5, kMaxDeviation = 1e3;  // m; any unit

// Empty, or what is wrong with a range, m.
inline std::string problem_of_range(double min, double max) {
  return min >= 0 && max > min && max <= kMaxRange ? "" : "range_min is at least 0, and below range_max";
}
// Of a standard deviation.
inline bool is_deviation(double noise) { return noise >= 0 && noise <= kMaxDeviation; }

}  // namespace convoy
