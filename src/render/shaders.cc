#include "render/shaders.h"

#include "render/shader_text.h"

namespace convoy::render {

namespace {

std::string defined(const ProgramKey& key) {
  std::string out = "#version 330 core\n";
  const auto define = [&](const char* name, bool on) {
    out += std::string("#define ") + name + (on ? " 1\n" : " 0\n");
  };
  define("FLAT", key.form == Form::kFlat), define("PLANE", key.form == Form::kPlane);
  define("BALL", key.form == Form::kBall), define("CYLINDER", key.form == Form::kCylinder);
  define("CAPSULE", key.form == Form::kCapsule);
  define("PLANAR", key.texturing == Texturing::kPlanar), define("CUBE", key.texturing == Texturing::kCube);
  define("UV",
         key.form == Form::kFlat && (key.texturing == Texturing::kCorners || key.texturing == Texturing::kPlanar));
  define("COLOUR", key.colour), define("DATA", key.data), define("PIXELS", key.colour || key.data);
  define("NICE", key.nice), define("SHADOWS", key.shadows), define("RAIN", key.rain), define("WET", key.wet);
  define("LINES", key.lines);
  const bool textured = key.texturing != Texturing::kNone, round = key.form != Form::kFlat && key.form != Form::kPlane;
  define("TEXTURED", textured);
  define("LIT", key.colour && !key.nice && !key.shadows && !round && key.form != Form::kSky);
  return out + text::kFrame + text::kTone;
}

}  // namespace

std::string corner_shader(const ProgramKey& key) {
  return defined(key) + (key.form == Form::kSky ? text::kSkyCorner : text::kCorner);
}

std::string pixel_shader(const ProgramKey& key) {
  const std::string begin = defined(key);
  if (!key.colour && !key.data) return begin + "void main() {}\n";
  return begin + (key.colour ? text::kLight : "") +
         (key.form == Form::kSky ? std::string(text::kSkyPixel) : std::string(text::kPixelParts) + text::kPixelMain);
}

}  // namespace convoy::render
