#include "record/camera_picture.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/math.h"
#include "record/foxglove/png.h"
#include "record/sensor_picture.h"

namespace convoy {

namespace {

using Pixel = std::array<std::uint8_t, 3>;
using Image = std::vector<Pixel>;
constexpr std::size_t kGap = 8;  // px between two images

Pixel pixel(const Colour& c) { return {c.r, c.g, c.b}; }

Image of_color(const Bytes& rgb) {
  Image out(rgb.size() / 3);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = {rgb[3 * i], rgb[3 * i + 1], rgb[3 * i + 2]};
  return out;
}

// By the logarithm, between the nearest and the farthest that there is.
Image of_depth(const std::vector<float>& depth) {
  double low = INFINITY, high = 0;
  for (const float z : depth)
    if (std::isfinite(z) && z > 0) low = std::min<double>(low, z), high = std::max<double>(high, z);
  const double span = math::log(std::max(high / low, 1.001));
  Image out(depth.size());
  for (std::size_t i = 0; i < depth.size(); ++i)
    if (std::isfinite(depth[i]) && depth[i] > 0) out[i] = pixel(heat(1 - math::log(depth[i] / low) / span));
  return out;
}

// Numbers beside one another far apart in hue.
Image of_numbers(const std::vector<std::uint32_t>& numbers) {
  Image out(numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] == 0) continue;
    if (numbers[i] == kSceneNumber) {
      out[i] = {70, 74, 80};
      continue;
    }
    const double hue = std::fmod(numbers[i] * 0.61803398875, 1.0) * 6;
    const auto part = [&](double at) {
      const double far = std::abs(std::fmod(hue - at + 9, 6.0) - 3);
      return static_cast<std::uint8_t>(80 + 175 * std::clamp(far - 1, 0.0, 1.0));
    };
    out[i] = {part(0), part(2), part(4)};
  }
  return out;
}

}  // namespace

Bytes draw_camera_png(const CameraReading& reading) {
  std::vector<Image> images;
  if (!reading.color.empty()) images.push_back(of_color(reading.color));
  if (!reading.depth.empty()) images.push_back(of_depth(reading.depth));
  if (!reading.numbers.empty()) images.push_back(of_numbers(reading.numbers));
  if (!reading.classes.empty()) images.push_back(of_numbers(reading.classes));
  if (images.empty()) return {};
  const std::size_t width = reading.lens.width, height = reading.lens.height;
  const std::size_t whole = images.size() * width + (images.size() - 1) * kGap;
  Bytes rgb(3 * whole * height, 255);
  for (std::size_t k = 0; k < images.size(); ++k)
    for (std::size_t y = 0; y < height; ++y)
      for (std::size_t x = 0; x < width; ++x)
        std::copy_n(images[k][y * width + x].data(), 3, rgb.data() + 3 * (y * whole + k * (width + kGap) + x));
  return rgb_png(static_cast<std::uint32_t>(whole), static_cast<std::uint32_t>(height), rgb);
}

}  // namespace convoy
