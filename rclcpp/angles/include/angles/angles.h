// Angles in radians: normalised, and the shortest way between two.
#pragma once

#include <algorithm>
#include <cmath>

namespace angles {

inline constexpr double kPi = 3.14159265358979323846;

inline double from_degrees(double degrees) { return degrees * kPi / 180; }
inline double to_degrees(double radians) { return radians * 180 / kPi; }
// In [0, 2 pi).
inline double normalize_angle_positive(double angle) {
  const double rest = std::fmod(angle, 2 * kPi);
  return rest < 0 ? rest + 2 * kPi : rest;
}
// In (-pi, pi].
inline double normalize_angle(double angle) {
  const double rest = std::fmod(angle + kPi, 2 * kPi);
  return rest <= 0 ? rest + kPi : rest - kPi;
}
inline double shortest_angular_distance(double from, double to) { return normalize_angle(to - from); }
// The same angle the other way round.
inline double two_pi_complement(double angle) {
  if (angle > 2 * kPi || angle < -2 * kPi) angle = std::fmod(angle, 2 * kPi);
  if (angle < 0) return 2 * kPi + angle;
  return angle > 0 ? angle - 2 * kPi : 2 * kPi;
}

}  // namespace angles
