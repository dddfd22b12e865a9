// What light, sky and haze are like, by time of day and weather: as the page shows them (web/src/light.ts).
#pragma once

#include <array>
#include <cstdint>

#include "convoy/geometry.h"
#include "world/environment.h"

namespace convoy::render {

using Rgb = std::array<double, 3>;  // linear light

struct Light {
  Rgb zenith{}, horizon{};    // of the sky, as shown
  Rgb sun{}, sky{}, below{};  // what white surfaces give back of the sun or moon, of the sky above and of the ground
  Vec3 to_sun;                // of length 1, in W
  double day = 1;             // 0 at night
  double sunlit = 1;          // how sharp shadows are: 0 under a closed sky
  double extinction = 0;      // 1/m: of a thing at t m the share exp(-extinction t) is seen, the rest is haze
};
Light light_of(const Environment& environment);

// sRGB to linear light, from 0 to 1, and back, from 0 to 255.
double linear(double srgb);
std::uint8_t srgb_byte(double linear);

}  // namespace convoy::render
