#include "sensing/gnss.h"

#include <cmath>

#include "core/math.h"
#include "sensing/limits.h"

namespace convoy {

namespace {

constexpr double kMajor = 6378137.0, kFlattening = 1 / 298.257223563;  // m; WGS 84
constexpr double kMinor = kMajor * (1 - kFlattening);
constexpr double kEccentric = kFlattening * (2 - kFlattening);  // e^2
constexpr double kSecond = kEccentric / (1 - kEccentric);       // e'^2

// East, north and up there, in earth-centred coordinates.
struct Axes {
  explicit Axes(const Geodetic& at) {
    double sin_lat, cos_lat, sin_lon, cos_lon;
    math::sincos(at.latitude * math::kDegree, sin_lat, cos_lat);
    math::sincos(at.longitude * math::kDegree, sin_lon, cos_lon);
    east = {-sin_lon, cos_lon, 0};
    north = {-sin_lat * cos_lon, -sin_lat * sin_lon, cos_lat};
    up = {cos_lat * cos_lon, cos_lat * sin_lon, sin_lat};
    const double radius = kMajor / std::sqrt(1 - kEccentric * sin_lat * sin_lat);
    point = {(radius + at.altitude) * up.x, (radius + at.altitude) * up.y,
             (radius * (1 - kEccentric) + at.altitude) * up.z};
  }
  Vec3 east, north, up, point;
};

Geodetic from_earth(const Vec3& p) {
  const double axial = std::sqrt(p.x * p.x + p.y * p.y);
  double s, c, latitude = 0, parametric = math::atan2(p.z * kMajor, axial * kMinor);
  for (int i = 0; i < 2; ++i) {  // once is right to a few micrometres
    math::sincos(parametric, s, c);
    latitude = math::atan2(p.z + kSecond * kMinor * s * s * s, axial - kEccentric * kMajor * c * c * c);
    math::sincos(latitude, s, c);
    parametric = math::atan2(kMinor * s, kMajor * c);
  }
  // Along the normal: of the two ways to the height neither loses digits, at the poles nor at the equator.
  const double altitude = axial * c + p.z * s - kMajor * std::sqrt(1 - kEccentric * s * s);
  double longitude = math::atan2(p.y, p.x) / math::kDegree;
  if (longitude >= 180) longitude -= 360;
  return {latitude / math::kDegree, longitude, altitude};
}

}  // namespace

std::string problem_of(const Geodetic& origin) {
  if (!(std::fabs(origin.latitude) <= 90)) return "a latitude is from -90 to 90 degrees";
  if (!(std::fabs(origin.longitude) <= 180)) return "a longitude is from -180 to 180 degrees";
  if (!(std::fabs(origin.altitude) <= 1e5)) return "an altitude is within 100000 m";
  return {};
}

std::string problem_of(const GnssModel& m) {
  return is_deviation(m.horizontal) && is_deviation(m.vertical) ? "" : "its noise is no noise";
}

Geodetic geodetic_of(const Geodetic& origin, const Vec3& p) {
  const Axes there(origin);
  return from_earth(there.point + p.x * there.east + p.y * there.north + p.z * there.up);
}

Vec3 place_of(const Geodetic& origin, const Geodetic& at) {
  const Axes there(origin);
  const Vec3 way = Axes(at).point - there.point;
  return {dot(way, there.east), dot(way, there.north), dot(way, there.up)};
}

Fix fix_of(const GnssModel& model, const Geodetic& origin, const Vec3& p, Noise noise) {
  Vec3 off;
  if (model.horizontal > 0) off.x = model.horizontal * noise.normal(), off.y = model.horizontal * noise.normal();
  if (model.vertical > 0) off.z = model.vertical * noise.normal();
  Fix out;
  out.at = geodetic_of(origin, p + off);
  out.covariance[0] = out.covariance[4] = model.horizontal * model.horizontal;
  out.covariance[8] = model.vertical * model.vertical;
  return out;
}

}  // namespace convoy
