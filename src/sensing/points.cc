#include "sensing/points.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/check.h"
#include "core/math.h"
#include "sensing/angles.h"
#include "sensing/limits.h"
#include "sensing/sweep.h"

namespace convoy {

namespace {

const float kNan = std::bit_cast<float>(0x7fc00000u);  // the one NaN of samples

}  // namespace

std::vector<double> rings(std::uint32_t count, double lowest, double highest) {
  std::vector<double> out;
  for (std::uint32_t i = 0; i < count; ++i)
    out.push_back(count == 1 ? (lowest + highest) / 2 : lowest + i * (highest - lowest) / (count - 1));
  return out;
}

std::string problem_of(const PointsModel& m) {
  if (m.elevations.empty()) return "a cloud has a ring at least";
  if (m.columns < 1) return "a cloud has a column at least";
  if (m.elevations.size() > kMaxRings) return "a cloud has 1024 rings at most";
  if (m.elevations.size() * std::size_t{m.columns} > kMaxPoints) return "a cloud has 4000000 points at most";
  for (const double e : m.elevations)
    if (!(std::fabs(e) <= math::kPi / 2)) return "a ring is between straight down and straight up";
  if (!std::is_sorted(m.elevations.begin(), m.elevations.end())) return "rings are named from the lowest up";
  if (!(std::fabs(m.azimuth_min) <= kTurn)) return "its first column is within a turn";
  if (!is_field(m.field)) return "its field is from 0 to a full turn, 2 pi";
  if (m.columns > 1 && m.field == 0) return "several columns need a field";
  if (const std::string wrong = problem_of_range(m.range_min, m.range_max); !wrong.empty()) return wrong;
  if (!is_deviation(m.noise)) return "its noise is no noise";
  return problem_of_sweep(m.sweep);
}

std::vector<Vec3> directions_of(const PointsModel& m) {
  std::vector<Vec3> out;
  out.reserve(m.elevations.size() * m.columns);
  const double step = step_between(m.columns, m.field);
  for (std::uint32_t column = 0; column < m.columns; ++column)
    for (const double elevation : m.elevations) out.push_back(direction_of(m.azimuth_min + column * step, elevation));
  return out;
}

Cloud cloud_of(const PointsModel& m, std::span<const Hit> hits, std::span<const float> intensities, Noise noise) {
  const std::size_t rings = m.elevations.size();
  EXPECTS(hits.size() == rings * m.columns && intensities.size() == hits.size());
  Cloud out;
  if (m.organized) {
    out.width = m.columns, out.height = static_cast<std::uint32_t>(rings);
    out.points.resize(hits.size());
  }
  const double step = step_between(m.columns, m.field), per_column = seconds(m.sweep) / m.columns;
  for (std::uint32_t column = 0; column < m.columns; ++column)
    for (std::size_t ring = 0; ring < rings; ++ring) {
      const std::size_t i = column * rings + ring;
      const double drawn = m.noise > 0 ? m.noise * noise.normal() : 0, range = hits[i].range + drawn;
      const bool met = hits[i].any() && range >= m.range_min && range <= m.range_max;
      if (!met && !m.organized) continue;
      CloudPoint point{kNan, kNan, kNan, 0, static_cast<std::uint16_t>(ring), static_cast<float>(column * per_column)};
      if (met) {
        const Vec3 p = range * direction_of(m.azimuth_min + column * step, m.elevations[ring]);
        point.x = static_cast<float>(p.x), point.y = static_cast<float>(p.y), point.z = static_cast<float>(p.z);
        point.intensity = intensities[i];
      }
      out.dense = out.dense && met;
      if (m.organized) out.points[ring * m.columns + column] = point;
      else out.points.push_back(point);
    }
  if (!m.organized) out.width = static_cast<std::uint32_t>(out.points.size());
  return out;
}

}  // namespace convoy
