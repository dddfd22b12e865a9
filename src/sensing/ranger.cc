#include "sensing/ranger.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/check.h"
#include "core/math.h"
#include "sensing/limits.h"

namespace convoy {

namespace {

constexpr double kGoldenAngle = 2.3999632297286533;  // rad: turned by it, points never line up (Vogel 1979)

}  // namespace

std::string problem_of(const RangerModel& m) {
  if (m.beams < 1) return "a range finder has a beam at least";
  if (m.beams > kMaxRangerBeams) return "a range finder has 10000 beams at most";
  if (!(m.field >= 0 && m.field < math::kPi)) return "its cone is from 0 to below pi";
  if (const std::string wrong = problem_of_range(m.range_min, m.range_max); !wrong.empty()) return wrong;
  if (!is_deviation(m.noise)) return "its noise is no noise";
  return {};
}

std::vector<Vec3> directions_of(const RangerModel& m) {
  std::vector<Vec3> out;
  for (std::uint32_t i = 0; i < m.beams; ++i) {
    // Rings whose radius grows with the root of their number: as many beams to each part of the cone.
    const double off = m.beams == 1 ? 0 : m.field / 2 * std::sqrt(static_cast<double>(i) / (m.beams - 1));
    double sin_off, cos_off, sin_around, cos_around;
    math::sincos(off, sin_off, cos_off);
    math::sincos(i * kGoldenAngle, sin_around, cos_around);
    out.push_back({cos_off, sin_off * cos_around, sin_off * sin_around});
  }
  return out;
}

double range_of(const RangerModel& m, std::span<const Hit> hits, Noise noise) {
  EXPECTS(hits.size() == m.beams);
  constexpr double kFar = std::numeric_limits<double>::infinity();
  double nearest = kFar;
  for (const Hit& hit : hits) nearest = std::min(nearest, hit.range);
  if (nearest == kFar) return kFar;
  if (m.noise > 0) nearest += m.noise * noise.normal();
  return nearest > m.range_max ? kFar : nearest < m.range_min ? -kFar : nearest;
}

}  // namespace convoy
