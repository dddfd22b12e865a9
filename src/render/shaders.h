// The programs that run on the graphics card, as text of GLSL 3.30.
//
// One text each for corners and pixels, whose variants are chosen by definitions: what is not needed costs nothing, and
// Mesa's software driver takes both sides of each branch.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace convoy::render {

// What a pixel is moved onto.
enum class Form : std::uint8_t { kFlat, kPlane, kBall, kCylinder, kCapsule, kSky };
enum class Texturing : std::uint8_t { kNone, kCorners, kPlanar, kCube };

struct ProgramKey {
  Form form = Form::kFlat;
  Texturing texturing = Texturing::kNone;
  bool colour = false, data = false;  // neither: for shadow maps
  bool nice = false, shadows = false, rain = false, wet = false, lines = false;
  auto operator<=>(const ProgramKey&) const = default;
};

std::string corner_shader(const ProgramKey& key);
std::string pixel_shader(const ProgramKey& key);

// Where the programs find their inputs.
inline constexpr unsigned kFrameBinding = 0;
inline constexpr int kTextureUnit = 0, kShadowUnit = 1;
inline constexpr unsigned kCascades = 3;  // shadow maps, of growing reach

}  // namespace convoy::render
