#include "render/light.h"

#include <algorithm>

#include "core/math.h"

namespace convoy::render {

namespace {

Rgb colour(unsigned hex) {
  return {linear(((hex >> 16) & 255) / 255.0), linear(((hex >> 8) & 255) / 255.0), linear((hex & 255) / 255.0)};
}
Rgb mixed(const Rgb& a, const Rgb& b, double share_of_b) {
  Rgb out{};
  for (std::size_t i = 0; i < 3; ++i) out[i] = a[i] + share_of_b * (b[i] - a[i]);
  return out;
}
Rgb times(Rgb c, double factor) {
  for (double& v : c) v *= factor;
  return c;
}
double smooth(double low, double high, double value) {
  const double t = std::clamp((value - low) / (high - low), 0.0, 1.0);
  return t * t * (3 - 2 * t);
}

// The page's palette for daylight.
constexpr unsigned kZenith = 0x6ea6dd, kHorizon = 0xe6eef5, kSun = 0xfff3e0, kFill = 0xdcebff, kBelow = 0xa89f94;
constexpr unsigned kNightSky = 0x060a14, kNightHorizon = 0x141d2c, kDusk = 0xf0a268, kLowSun = 0xffa45c,
                   kMoon = 0xbccbea;
constexpr double kSunlight = 3.4, kFilling = 2.3;           // pi of them is what a white surface gives back
constexpr double kNoonHeight = 0.91, kNoonBearing = -0.74;  // rad, of the sun at 12 o'clock
constexpr double kMoonHeight = 0.15;                        // rad, at least
constexpr double kClear = 5000, kThick = 12;                // m that are seen without fog and in the thickest
constexpr double kSeen = 3;  // e^-3: the contrast of a twentieth, by which meteorologists define visibility

}  // namespace

double linear(double c) { return c <= 0.04045 ? c / 12.92 : math::pow((c + 0.055) / 1.055, 2.4); }

std::uint8_t srgb_byte(double c) {
  const double s = c <= 0.0031308 ? 12.92 * c : 1.055 * math::pow(c, 1 / 2.4) - 0.055;
  return static_cast<std::uint8_t>(std::clamp(s, 0.0, 1.0) * 255 + 0.5);
}

Light light_of(const Environment& e) {
  const double hour = (e.time_of_day - 12) / 12 * math::kPi;
  const double height = kNoonHeight * math::cos(hour), bearing = kNoonBearing - hour;
  Light out;
  out.day = smooth(-0.15, 0.3, height);
  const double dusk = out.day * (1 - smooth(0.1, 0.6, height)), grey = std::max(e.cloudiness, 0.8 * e.rain);
  out.horizon =
      mixed(mixed(colour(kHorizon), colour(kDusk), 0.5 * dusk * (1 - grey)), colour(kNightHorizon), 1 - out.day);
  out.zenith = mixed(colour(kZenith), colour(kNightSky), 1 - out.day);
  const Rgb overcast = times(colour(kHorizon), 0.55 * (0.15 + 0.85 * out.day) * (0.35 + 0.65 * out.day));
  out.zenith = mixed(out.zenith, overcast, 0.85 * grey), out.horizon = mixed(out.horizon, overcast, 0.5 * grey);
  out.zenith = mixed(out.zenith, out.horizon, e.fog);
  const Rgb sun = mixed(mixed(colour(kSun), colour(kLowSun), 0.7 * dusk), colour(kMoon), 1 - out.day);
  out.sun = times(sun, kSunlight / math::kPi * (0.08 + 0.92 * out.day) * (1 - 0.75 * grey) * (1 - 0.6 * e.fog));
  const double filling = kFilling / math::kPi * (0.28 + 0.72 * out.day) * (1 - 0.25 * grey);
  out.sky = times(mixed(colour(kFill), colour(kMoon), 0.6 * (1 - out.day)), filling);
  out.below = times(colour(kBelow), filling);
  const double up = std::max(height, kMoonHeight);
  out.to_sun = {math::cos(up) * math::cos(bearing), math::cos(up) * math::sin(bearing), math::sin(up)};
  out.sunlit = (1 - 0.85 * grey) * (1 - 0.8 * e.fog);
  const double visibility = math::pow(kClear, 1 - e.fog) * math::pow(kThick, e.fog) / (1 + 8 * e.rain);
  out.extinction = kSeen / visibility;
  return out;
}

}  // namespace convoy::render
