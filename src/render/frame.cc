#include "render/frame.h"

#include <algorithm>
#include <cmath>

#include "core/pose.h"

namespace convoy::render {

namespace {

constexpr double kTurn = 512;                               // m, after which patterns of wet ground repeat
constexpr std::array<double, kCascades> kReach{6, 22, 90};  // m from the camera, of each cascade
constexpr double kReachOfOne = 12;                          // m, where there is but one
constexpr double kDeep = 4;                                 // how deep a map is, in its halves

Float4 f4(double x, double y, double z, double w) {
  return {static_cast<float>(x), static_cast<float>(y), static_cast<float>(z), static_cast<float>(w)};
}
Float4 f4(const Vec3& v, double w) { return f4(v.x, v.y, v.z, w); }
Float4 f4(const Rgb& c, double w) { return f4(c[0], c[1], c[2], w); }

// Rows of what is linear in a point: x, y, z and the constant.
Matrix from_rows(const std::array<std::array<double, 4>, 4>& rows) {
  Matrix out{};
  for (std::size_t r = 0; r < 4; ++r)
    for (std::size_t c = 0; c < 4; ++c) out[c][r] = static_cast<float>(rows[r][c]);
  return out;
}
std::array<double, 4> row(const Vec3& v, double constant = 0) { return {v.x, v.y, v.z, constant}; }

}  // namespace

Frame frame_of(const View& v, const Scene& scene, const Light& light, int first_x, int first_y) {
  const Quat q = unit(v.X_WC.q);
  const Vec3 right = rotate(q, {1, 0, 0}), down = rotate(q, {0, 1, 0}), ahead = rotate(q, {0, 0, 1});
  const Environment& e = scene.environment;
  Frame out;
  // The first row of the target is the picture's top. Depth is near / z: a float resolves it evenly at any distance.
  out.clip = from_rows({row(2 * v.fx / v.width * right + (2 * (v.cx + 0.5) / v.width - 1) * ahead),
                        row(2 * v.fy / v.height * down + (2 * (v.cy + 0.5) / v.height - 1) * ahead), row({}, v.near),
                        row(ahead)});
  const double x0 = (-0.5 - first_x - v.cx) / v.fx, y0 = (-0.5 - first_y - v.cy) / v.fy;
  out.ray_0 = f4(ahead + x0 * right + y0 * down, 0);
  out.ray_x = f4((1 / v.fx) * right, first_x), out.ray_y = f4((1 / v.fy) * down, first_y);
  const Vec3& p = v.X_WC.p;
  out.to_sun = f4(light.to_sun, light.sunlit);
  out.sun = f4(light.sun, light.day), out.sky = f4(light.sky, std::fmod(scene.time, 3600));
  out.below = f4(light.below, e.wetness), out.zenith = f4(light.zenith, std::max(e.cloudiness, 0.8 * e.rain));
  out.horizon = f4(light.horizon, light.extinction);
  out.eye = f4(std::fmod(p.x, kTurn), std::fmod(p.y, kTurn), std::fmod(p.z, kTurn), v.far);
  out.weather = f4(e.rain, e.fog, v.width, v.height);
  const auto root = [](Rgb c) {
    for (double& v : c) v = std::sqrt(std::clamp(v, 0.0, 1.0));
    return f4(c, 0);
  };
  out.zenith_root = root(light.zenith), out.horizon_root = root(light.horizon);
  return out;
}

std::vector<ShadowSquare> shadow_squares(const View& v, const Light& light, unsigned cascades, unsigned side) {
  const Vec3 z = light.to_sun, level = cross({0, 0, 1}, z);
  const Vec3 x = (1 / norm(level)) * level, y = cross(z, x);  // the sun is never straight above
  const Quat q = unit(v.X_WC.q);
  std::vector<ShadowSquare> out;
  double from = v.near;
  for (unsigned i = 0; i < cascades; ++i) {
    const double to = std::max(cascades == 1 ? kReachOfOne : kReach[i], 2 * from);
    std::array<Vec3, 8> corners;
    Vec3 middle;
    for (unsigned k = 0; k < 8; ++k) {
      const double u = k & 1 ? v.width - 0.5 : -0.5, w = k & 2 ? v.height - 0.5 : -0.5, t = k & 4 ? to : from;
      corners[k] = v.X_WC.p + rotate(q, t * Vec3{(u - v.cx) / v.fx, (w - v.cy) / v.fy, 1});
      middle += 0.125 * corners[k];
    }
    double radius = 0;
    for (const Vec3& c : corners) radius = std::max(radius, norm(c - middle));
    // In steps, and on a grid that is fixed in the world: shadows do not crawl while the camera moves.
    const double step = std::exp2(std::floor(std::log2(radius))) / 16, half = (std::floor(radius / step) + 1) * step;
    const double texel = 2 * half / side;
    const auto snapped = [&](const Vec3& axis) { return std::floor(dot(middle, axis) / texel) * texel * axis; };
    out.push_back({z, x, y, snapped(x) + snapped(y) + snapped(z), half, texel});
    from = to;
  }
  return out;
}

Matrix shadow_matrix(const ShadowSquare& s, const Vec3& eye) {
  const Vec3 off = eye - s.middle;
  const auto along = [&](const Vec3& axis, double half) {
    return row((0.5 / half) * axis, 0.5 + 0.5 / half * dot(off, axis));
  };
  return from_rows({along(s.x, s.half), along(s.y, s.half), along(-s.to_sun, kDeep * s.half), row({}, 1)});
}

Matrix clip_of(const Matrix& shadow) {
  Matrix out = shadow;
  for (Float4& column : out)
    for (std::size_t r : {0, 1}) column[r] = 2 * column[r] - column[3];
  return out;
}

}  // namespace convoy::render
