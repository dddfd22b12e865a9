// A radar: what reflects, where, and how fast it comes or goes; as radar_msgs has it.
//
// Beams fill a rectangle of azimuth and elevation about the sensor's x axis. Of each entity the nearest hit is one
// return, of the scene one in each column of beams. A speed is that of the range: below 0 it comes nearer. Its amplitude
// falls with the fourth power of the range (the radar equation, without units: 1 at 1 m, head on).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/fields.h"
#include "sensing/noise.h"
#include "sensing/rays.h"

namespace convoy {

struct RadarModel {
  double azimuth = 1.2, elevation = 0.2;   // rad; the whole fields
  std::uint32_t columns = 64, rows = 8;    // of beams
  double range_min = 0.5, range_max = 80;  // m
  double range_noise = 0;                  // m; standard deviations
  double angle_noise = 0;                  // rad
  double speed_noise = 0;                  // m/s
  friend bool operator==(const RadarModel&, const RadarModel&) = default;
};
template <class V, MaybeConst<RadarModel> T>
void fields(V& v, T& m) {
  v("azimuth", m.azimuth), v("elevation", m.elevation), v("columns", m.columns), v("rows", m.rows);
  v("range_min", m.range_min), v("range_max", m.range_max), v("range_noise", m.range_noise);
  v("angle_noise", m.angle_noise), v("speed_noise", m.speed_noise);
}
inline constexpr std::uint32_t kMaxRadarBeams = 1'000'000;

// Empty, or what is wrong with it.
std::string problem_of(const RadarModel& model);

struct RadarReturn {
  double range = 0;      // m
  double azimuth = 0;    // rad, to the left of x
  double elevation = 0;  // rad, above the plane z = 0
  double speed = 0;      // m/s
  double amplitude = 0;
};

// Of its beams, in S: column by column from the right, row by row from below.
std::vector<Vec3> directions_of(const RadarModel& model);
inline std::vector<Beam> beams_of(const RadarModel& model, const Pose& X_WS) {
  return aimed(directions_of(model), X_WS, model.range_min, model.range_max);
}
// What a beam met: its hit, how fast that point moves in W (m/s), and the cosine of the angle at which it was met.
struct Reflection {
  Hit hit;
  Vec3 v_W;
  double cosine = 1;
};
// `v_WS_W`: how fast the sensor moves. By (world number, column).
std::vector<RadarReturn> returns_of(const RadarModel& model, std::span<const Reflection> met, const Pose& X_WS,
                                    const Vec3& v_WS_W, Noise noise);

}  // namespace convoy
