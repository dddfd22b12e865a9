// Where a place of the world is on the Earth: WGS 84, from the scenario's origin.
//
// The world's frame W is the tangent plane at the origin (ENU, REP-103): x east, y north, z up along the ellipsoid's
// normal. Source: NIMA TR8350.2 for the ellipsoid; Bowring, Survey Review 1976, for the way back from earth-centred
// coordinates.
#pragma once

#include <array>
#include <string>

#include "convoy/geometry.h"
#include "core/fields.h"
#include "sensing/noise.h"
#include "world/sensor_rules.h"

namespace convoy {

// Empty, or what is wrong with it as an origin.
std::string problem_of(const Geodetic& origin);

// Of a point in W, m; and back. Exact to a micrometre within 100 km of the origin, and 20 km of height. Longitudes are
// from -180 to below 180.
Geodetic geodetic_of(const Geodetic& origin, const Vec3& p_W);
Vec3 place_of(const Geodetic& origin, const Geodetic& at);

struct GnssModel {
  double horizontal = 0;  // m; standard deviation of east and of north
  double vertical = 0;    // m; of the height
  friend bool operator==(const GnssModel&, const GnssModel&) = default;
};
template <class V, MaybeConst<GnssModel> T>
void fields(V& v, T& m) {
  v("horizontal", m.horizontal), v("vertical", m.vertical);
}

// Empty, or what is wrong with it.
std::string problem_of(const GnssModel& model);

// NavSatFix: where the antenna is found to be, and how well that is known.
struct Fix {
  Geodetic at;
  std::array<double, 9> covariance{};  // m^2, ENU, row by row
};
Fix fix_of(const GnssModel& model, const Geodetic& origin, const Vec3& p_W, Noise noise);

}  // namespace convoy
