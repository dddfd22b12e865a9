#include "sensing/scan.h"

#include <cmath>
#include <limits>

#include "core/check.h"
#include "sensing/angles.h"
#include "sensing/limits.h"
#include "sensing/sweep.h"

namespace convoy {

std::string problem_of(const ScanModel& m) {
  if (m.beams < 1) return "a scan has a beam at least";
  if (m.beams > kMaxScanBeams) return "a scan has 100000 beams at most";
  if (!std::isfinite(m.angle_min) || std::fabs(m.angle_min) > kTurn) return "its first angle is within a turn";
  if (!is_field(m.field)) return "its field is from 0 to a full turn, 2 pi";
  if (m.beams > 1 && m.field == 0) return "several beams need a field";
  if (const std::string wrong = problem_of_range(m.range_min, m.range_max); !wrong.empty()) return wrong;
  if (!is_deviation(m.noise) || !(m.noise_share >= 0 && m.noise_share <= 1)) return "its noise is no noise";
  return problem_of_sweep(m.sweep);
}

double increment_of(const ScanModel& m) { return step_between(m.beams, m.field); }

std::vector<Vec3> directions_of(const ScanModel& model) {
  const double increment = increment_of(model);
  std::vector<Vec3> out;
  for (std::uint32_t i = 0; i < model.beams; ++i) out.push_back(direction_of(model.angle_min + i * increment, 0));
  return out;
}

Scan scan_of(const ScanModel& model, std::span<const Hit> hits, Noise noise) {
  EXPECTS(hits.size() == model.beams);
  constexpr float kFar = std::numeric_limits<float>::infinity();
  Scan out;
  const double increment = increment_of(model);
  out.angle_min = static_cast<float>(model.angle_min), out.angle_increment = static_cast<float>(increment);
  out.angle_max = static_cast<float>(model.angle_min + (model.beams - 1) * increment);
  out.time_increment = static_cast<float>(seconds(model.sweep) / model.beams);
  out.range_min = static_cast<float>(model.range_min), out.range_max = static_cast<float>(model.range_max);
  const bool noisy = model.noise > 0 || model.noise_share > 0;
  for (const Hit& hit : hits) {
    // Each beam has its draw, whether or not it meets something: one that vanishes shifts none of the others.
    const double drawn = noisy ? noise.normal() : 0;
    const double range = hit.range + (model.noise + model.noise_share * hit.range) * drawn;
    out.ranges.push_back(!hit.any() || range > model.range_max ? kFar
                         : range < model.range_min             ? -kFar
                                                               : static_cast<float>(range));
  }
  return out;
}

}  // namespace convoy
