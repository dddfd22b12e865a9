#include "sensing/radar.h"

#include <cmath>
#include <map>
#include <utility>

#include "core/check.h"
#include "core/math.h"
#include "sensing/angles.h"
#include "sensing/limits.h"

namespace convoy {

namespace {

double angle_at(double field, std::uint32_t i, std::uint32_t count) {
  return count == 1 ? 0 : field * (static_cast<double>(i) / (count - 1) - 0.5);
}

}  // namespace

std::string problem_of(const RadarModel& m) {
  if (m.columns < 1 || m.rows < 1) return "a radar has a column and a row of beams at least";
  if (std::uint64_t{m.columns} * m.rows > kMaxRadarBeams) return "a radar has 1000000 beams at most";
  if (!(m.azimuth >= 0 && m.azimuth <= 2 * math::kPi)) return "its azimuth is from 0 to a full turn";
  if (!(m.elevation >= 0 && m.elevation <= math::kPi)) return "its elevation is from 0 to pi";
  if (const std::string wrong = problem_of_range(m.range_min, m.range_max); !wrong.empty()) return wrong;
  for (const double noise : {m.range_noise, m.angle_noise, m.speed_noise})
    if (!is_deviation(noise)) return "its noise is no noise";
  return {};
}

std::vector<Vec3> directions_of(const RadarModel& m) {
  std::vector<Vec3> out;
  for (std::uint32_t column = 0; column < m.columns; ++column)
    for (std::uint32_t row = 0; row < m.rows; ++row)
      out.push_back(direction_of(angle_at(m.azimuth, column, m.columns), angle_at(m.elevation, row, m.rows)));
  return out;
}

std::vector<RadarReturn> returns_of(const RadarModel& m, std::span<const Reflection> met, const Pose& X_WS,
                                    const Vec3& v_WS_W, Noise noise) {
  EXPECTS(met.size() == std::size_t{m.columns} * m.rows);
  // Which beam brings the return of each: by number, and of the scene by column.
  std::map<std::pair<WorldNumber, std::size_t>, std::size_t> best;
  for (std::size_t i = 0; i < met.size(); ++i) {
    const Hit& hit = met[i].hit;
    if (!hit.any()) continue;
    const std::pair key{hit.number, hit.number == kNoEntity ? i / m.rows : 0};
    const auto [at, fresh] = best.try_emplace(key, i);
    if (!fresh && hit.range < met[at->second].hit.range) at->second = i;
  }
  std::vector<RadarReturn> out;
  for (const auto& [key, i] : best) {
    const auto column = static_cast<std::uint32_t>(i / m.rows), row = static_cast<std::uint32_t>(i % m.rows);
    RadarReturn one;
    one.azimuth = angle_at(m.azimuth, column, m.columns), one.elevation = angle_at(m.elevation, row, m.rows);
    one.range = met[i].hit.range;
    one.speed = dot(met[i].v_W - v_WS_W, rotate(X_WS.q, direction_of(one.azimuth, one.elevation)));
    const double squared = one.range * one.range;
    one.amplitude = met[i].cosine / (squared * squared);
    // The same draws for each, so that one without noise in its range has that of its speed all the same.
    const double range = noise.normal(), azimuth = noise.normal(), elevation = noise.normal(), speed = noise.normal();
    one.range += m.range_noise * range, one.speed += m.speed_noise * speed;
    one.azimuth += m.angle_noise * azimuth, one.elevation += m.angle_noise * elevation;
    out.push_back(one);
  }
  return out;
}

}  // namespace convoy
