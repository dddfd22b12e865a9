#include "sensing/camera.h"

#include <algorithm>
#include <cmath>

#include "core/math.h"

namespace convoy {

std::string problem_of(const CameraModel& m) {
  if (m.width < 1 || m.height < 1 || m.width > kMaxPictureSide || m.height > kMaxPictureSide)
    return "width and height are from 1 to 8192 pixels";
  if (m.width * m.height > kMaxPicturePixels) return "a picture has at most 16777216 pixels";
  if (!(m.field > 0.001 && m.field < 3.1)) return "field lies between 0.001 and 3.1 rad";
  for (const double f : m.focal)
    if (!(f >= 0 && f <= 1e6)) return "focal is two lengths of 0 to 1e6 pixels";
  for (const double c : m.center)
    if (!(std::abs(c) <= 1e6)) return "center is two numbers of at most 1e6 pixels";
  for (const double k : m.distortion)
    if (!(std::abs(k) <= 10)) return "distortion is five numbers (k1, k2, p1, p2, k3) of at most 10";
  if (!(m.near >= 0.001 && m.far <= 1e5 && m.near < m.far))
    return "near and far lie between 0.001 and 1e5 m, near first";
  if (!m.color && !m.depth && !m.numbers && !m.classes) return "it takes no picture: color, depth, numbers or classes";
  if (!(m.noise >= 0 && m.noise <= 1)) return "noise lies between 0 and 1";
  if (!(m.depth_noise >= 0 && m.depth_noise <= 1)) return "depth_noise lies between 0 and 1";
  return {};
}

PictureLens lens_of(const CameraModel& m) {
  PictureLens out{.width = m.width, .height = m.height, .distortion = m.distortion, .near = m.near, .far = m.far};
  double s, c;
  math::sincos(m.field / 2, s, c);
  const double by_field = m.height / 2.0 * c / s;
  out.fx = m.focal[0] > 0 ? m.focal[0] : m.focal[1] > 0 ? m.focal[1] : by_field;
  out.fy = m.focal[1] > 0 ? m.focal[1] : out.fx;
  // (0, 0) is the middle of a pixel.
  out.cx = m.center[0] >= 0 ? m.center[0] : (m.width - 1) / 2.0;
  out.cy = m.center[1] >= 0 ? m.center[1] : (m.height - 1) / 2.0;
  return out;
}

Pose optical_frame(const Pose& X_WS) {
  // x of C is -y of S, y is -z, z is x.
  return X_WS * Pose{{}, {0.5, -0.5, 0.5, -0.5}};
}

SensorSpec sensor_of(const ModelCamera& camera) {
  CameraModel model{.width = camera.width, .height = camera.height};
  model.focal = {camera.fx, camera.fy}, model.center = {camera.cx, camera.cy};
  model.color = camera.color, model.depth = camera.depth, model.numbers = camera.parts;
  SensorSpec out;
  out.type = "camera";
  for (const char c : camera.name) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    const bool fits = letter || (!out.name.empty() && c >= '0' && c <= '9');
    if (out.name.size() < 100) out.name += fits ? c : '_';
  }
  if (out.name.empty() || out.name[0] == '_') out.name = "camera" + out.name;
  out.link = camera.link;
  out.X_LS = camera.X_LC * optical_frame({}).inverse();
  out.parameters = save(model);
  return out;
}

Shot shot_of(const CameraModel& m, const Pose& X_WS, WorldNumber self, bool see_self) {
  return {.X_WC = optical_frame(X_WS),
          .lens = lens_of(m),
          .color = m.color,
          .depth = m.depth,
          .numbers = m.numbers,
          .classes = m.classes,
          .but = see_self ? kNoEntity : self,
          .alone = m.others ? std::nullopt : std::optional(see_self ? self : kNoEntity)};
}

CameraReading thinned(const CameraReading& r, std::uint32_t every) {
  CameraReading out{.lens = r.lens};
  PictureLens& lens = out.lens;
  lens.width = (r.lens.width + every - 1) / every, lens.height = (r.lens.height + every - 1) / every;
  for (double* number : {&lens.fx, &lens.fy, &lens.cx, &lens.cy}) *number /= every;
  for (std::uint32_t y = 0; y < r.lens.height; y += every)
    for (std::uint32_t x = 0; x < r.lens.width; x += every) {
      const std::size_t at = std::size_t{y} * r.lens.width + x;
      if (!r.color.empty())
        out.color.insert(out.color.end(), r.color.begin() + static_cast<std::ptrdiff_t>(3 * at),
                         r.color.begin() + static_cast<std::ptrdiff_t>(3 * at + 3));
      if (!r.depth.empty()) out.depth.push_back(r.depth[at]);
      if (!r.numbers.empty()) out.numbers.push_back(r.numbers[at]);
      if (!r.classes.empty()) out.classes.push_back(r.classes[at]);
    }
  return out;
}

CameraReading reading_of(const CameraModel& m, CameraPicture picture, Noise noise) {
  CameraReading out{picture.lens, std::move(picture.color), std::move(picture.depth), std::move(picture.numbers),
                    std::move(picture.classes)};
  if (m.noise > 0)
    for (std::uint8_t& value : out.color)
      value = static_cast<std::uint8_t>(std::clamp(value + 255 * m.noise * noise.normal() + 0.5, 0.0, 255.0));
  if (m.depth_noise > 0)
    for (float& value : out.depth)
      if (std::isfinite(value)) value = static_cast<float>(std::max(0.0, value * (1 + m.depth_noise * noise.normal())));
  return out;
}

}  // namespace convoy
