// A scanner that turns in a plane: LaserScan, as slam_toolbox, AMCL and nav2's layers read it.
//
// All beams start in the sensor's origin and lie in its plane z = 0; angles count counter-clockwise from x. A full turn
// of n beams has them 2 pi / n apart, and the last one stops short of the first; a part of a turn has one at each end.
// So round((angle_max - angle_min) / angle_increment) + 1 is their number (one less for a full turn, which is how
// slam_toolbox counts those). Nothing within range_max is +inf, what is nearer than range_min -inf (REP-117).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "convoy/time.h"
#include "core/fields.h"
#include "sensing/noise.h"
#include "sensing/rays.h"

namespace convoy {

inline constexpr std::uint32_t kMaxScanBeams = 100'000;

struct ScanModel {
  std::uint32_t beams = 360;
  double angle_min = 0;                      // rad, of the first beam
  double field = 6.2831853071795865;         // rad, that they cover, up to a full turn
  double range_min = 0.12, range_max = 3.5;  // m
  double noise = 0;                          // m; standard deviation of a range
  double noise_share = 0;                    // that much of the range besides
  Duration sweep{0};                         // how long it takes (sweep.h); 0: all at one instant
  bool intensities = false;                  // it tells them, too
  friend bool operator==(const ScanModel&, const ScanModel&) = default;
};
template <class V, MaybeConst<ScanModel> T>
void fields(V& v, T& m) {
  v("beams", m.beams), v("angle_min", m.angle_min), v("field", m.field), v("range_min", m.range_min);
  v("range_max", m.range_max), v("noise", m.noise), v("noise_share", m.noise_share);
  v("sweep", m.sweep), v("intensities", m.intensities);
}

// Empty, or what is wrong with it.
std::string problem_of(const ScanModel& model);

struct Scan {
  float angle_min = 0, angle_max = 0, angle_increment = 0;  // rad
  float time_increment = 0;                                 // s; from one beam to the next
  float range_min = 0, range_max = 0;                       // m
  std::vector<float> ranges;                                // m, +inf or -inf; one a beam
  std::vector<float> intensities;                           // 0 to 1, one a beam; none if it tells none
  friend bool operator==(const Scan&, const Scan&) = default;
};

// rad between two beams.
double increment_of(const ScanModel& model);
// Of its beams, in S.
std::vector<Vec3> directions_of(const ScanModel& model);
inline std::vector<Beam> beams_of(const ScanModel& model, const Pose& X_WS) {
  return aimed(directions_of(model), X_WS, 0, model.range_max);
}
// Of what each of these beams has met.
Scan scan_of(const ScanModel& model, std::span<const Hit> hits, Noise noise);

}  // namespace convoy
