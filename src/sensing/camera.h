// A camera: colour, depth, and who and what each pixel shows.
//
// Its sensor frame S is that of any sensor (x forward, y left, z up); pictures are in its optical frame C (REP 103: x right,
// y down, z forward) at the same place, "<name>_optical_frame".
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/fields.h"
#include "sensing/noise.h"
#include "sensing/pictures.h"
#include "world/model_camera.h"
#include "world/sensor_spec.h"

namespace convoy {

inline constexpr std::uint32_t kMaxPictureSide = 8192;        // px
inline constexpr std::uint32_t kMaxPicturePixels = 1u << 24;  // 16.8 million

struct CameraModel {
  std::uint32_t width = 640, height = 480;  // px
  double field = 0.78539816339744831;       // rad, from the upper to the lower edge; where no focal length is given
  std::array<double, 2> focal{};            // fx, fy, px; 0: of `field`, the same for both
  std::array<double, 2> center{-1, -1};     // cx, cy, px; below 0: in the middle
  std::array<double, 5> distortion{};       // PictureLens
  double near = 0.01, far = 1000;           // m
  bool color = true, depth = false, numbers = false, classes = false;  // which pictures it takes
  double noise = 0;                                                    // standard deviation of each colour, of 1
  double depth_noise = 0;                                              // that much of the depth
  bool others = true;  // it sees other robots and objects, not the scene alone
  friend bool operator==(const CameraModel&, const CameraModel&) = default;
};
template <class V, MaybeConst<CameraModel> T>
void fields(V& v, T& m) {
  v("width", m.width), v("height", m.height), v("field", m.field), v("focal", m.focal), v("center", m.center);
  v("distortion", m.distortion), v("near", m.near), v("far", m.far), v("color", m.color), v("depth", m.depth);
  v("numbers", m.numbers), v("classes", m.classes), v("noise", m.noise), v("depth_noise", m.depth_noise),
      v("others", m.others);
}

// Empty, or what is wrong with it.
std::string problem_of(const CameraModel& model);

// In pixels.
PictureLens lens_of(const CameraModel& model);

// C in W of a camera whose sensor frame is there.
Pose optical_frame(const Pose& X_WS);

// What it has taken: sensor_msgs/Image of each kind, and one CameraInfo.
struct CameraReading {
  PictureLens lens;
  Bytes color;                         // rgb8
  std::vector<float> depth;            // m
  std::vector<std::uint32_t> numbers;  // CameraPicture
  std::vector<std::uint32_t> classes;
};
template <class V, MaybeConst<CameraReading> T>
void fields(V& v, T& r) {
  v("lens", r.lens), v("color", r.color), v("depth", r.depth), v("numbers", r.numbers), v("classes", r.classes);
}

// A robot's own camera as a sensor; in its name what cannot stand in a sensor's is "_".
SensorSpec sensor_of(const ModelCamera& camera);

// Each `every`th pixel of each `every`th row, from the upper left; its lens is that of a camera of so many pixels.
CameraReading thinned(const CameraReading& reading, std::uint32_t every);

// `self`: its robot, which it sees if `see_self`.
Shot shot_of(const CameraModel& model, const Pose& X_WS, WorldNumber self, bool see_self);
// Of what was drawn for its shot, with the noise of the model.
CameraReading reading_of(const CameraModel& model, CameraPicture picture, Noise noise);

}  // namespace convoy
