// A range finder with a cone of sight: Range, as ultrasonic and infrared sensors give it (REP-117).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/fields.h"
#include "sensing/noise.h"
#include "sensing/rays.h"

namespace convoy {

inline constexpr std::uint32_t kMaxRangerBeams = 10'000;

struct RangerModel {
  double field = 0.26;                     // rad; the whole angle of the cone about the sensor's x axis, below pi
  std::uint32_t beams = 32;                // spread evenly over it, the first one on the axis
  double range_min = 0.02, range_max = 4;  // m
  double noise = 0;                        // m; standard deviation
  friend bool operator==(const RangerModel&, const RangerModel&) = default;
};
template <class V, MaybeConst<RangerModel> T>
void fields(V& v, T& m) {
  v("field", m.field), v("beams", m.beams), v("range_min", m.range_min), v("range_max", m.range_max);
  v("noise", m.noise);
}

// Empty, or what is wrong with it.
std::string problem_of(const RangerModel& model);

// Of its beams, in S.
std::vector<Vec3> directions_of(const RangerModel& model);
inline std::vector<Beam> beams_of(const RangerModel& model, const Pose& X_WS) {
  return aimed(directions_of(model), X_WS, 0, model.range_max);
}
// Of the nearest that they have met, m; +inf: nothing within range_max, -inf: nearer than range_min.
double range_of(const RangerModel& model, std::span<const Hit> hits, Noise noise);

}  // namespace convoy
