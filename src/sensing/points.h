// A scanner of several rings: PointCloud2, as its drivers give it.
//
// Rings lie on cones about the sensor's z axis, ring 0 the lowest; columns follow one another counter-clockwise from
// azimuth_min. All beams start in the origin. Points are in the sensor's frame, column by column, ring by ring; `time`
// is that of the column since the first one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "convoy/time.h"
#include "core/fields.h"
#include "sensing/noise.h"
#include "sensing/rays.h"

namespace convoy {

inline constexpr std::size_t kMaxRings = 1024, kMaxPoints = 4'000'000;  // of one sample

struct PointsModel {
  std::vector<double> elevations;  // rad above the plane z = 0, ascending: a ring each
  std::uint32_t columns = 1800;
  double azimuth_min = -3.1415926535897931;  // rad, of the first column
  double field = 6.2831853071795865;         // rad, as of a ScanModel
  double range_min = 0.5, range_max = 100;   // m
  double noise = 0;                          // m; standard deviation of a range
  Duration sweep{0};                         // how long a scan takes (sweep.h); 0: all at one instant
  bool organized = false;                    // a row a ring, NaN where nothing is; else only what was met
  friend bool operator==(const PointsModel&, const PointsModel&) = default;
};
template <class V, MaybeConst<PointsModel> T>
void fields(V& v, T& m) {
  v("elevations", m.elevations), v("columns", m.columns), v("azimuth_min", m.azimuth_min), v("field", m.field);
  v("range_min", m.range_min), v("range_max", m.range_max), v("noise", m.noise), v("sweep", m.sweep);
  v("organized", m.organized);
}

// Rings at equal angles, ends included.
std::vector<double> rings(std::uint32_t count, double lowest, double highest);

// Empty, or what is wrong with it.
std::string problem_of(const PointsModel& model);

struct CloudPoint {
  float x = 0, y = 0, z = 0;  // in S, m
  float intensity = 0;
  std::uint16_t ring = 0;
  float time = 0;  // s
};

struct Cloud {
  std::uint32_t width = 0, height = 1;
  bool dense = true;  // no point is NaN
  std::vector<CloudPoint> points;
};

// Of its beams, in S: column by column, ring by ring.
std::vector<Vec3> directions_of(const PointsModel& model);
inline std::vector<Beam> beams_of(const PointsModel& model, const Pose& X_WS) {
  return aimed(directions_of(model), X_WS, 0, model.range_max);
}
// Of what each of these beams has met, and how brightly, one number a beam.
Cloud cloud_of(const PointsModel& model, std::span<const Hit> hits, std::span<const float> intensities, Noise noise);

}  // namespace convoy
