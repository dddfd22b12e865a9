#include "sensing/camera.h"

#include <doctest/doctest.h>

#include <cmath>

#include "core/approx.h"

namespace camera_test {

using namespace convoy;

namespace {

std::string refusal(void (*change)(CameraModel&)) {
  CameraModel model;
  change(model);
  return problem_of(model);
}

}  // namespace

TEST_CASE("a lens of a field of view is a square pinhole in the middle") {
  const PictureLens lens = lens_of({.width = 640, .height = 480, .field = 2 * std::atan(0.5)});
  CHECK(std::abs(lens.fy - 480) < 1e-9);
  CHECK(lens.fx == lens.fy);
  CHECK(lens.cx == 319.5);
  CHECK(lens.cy == 239.5);
}

TEST_CASE("focal lengths and a centre are taken as they are") {
  const PictureLens both = lens_of({.focal = {500, 510}, .center = {300, 200}});
  CHECK(both.fx == 500);
  CHECK(both.fy == 510);
  CHECK(both.cx == 300);
  CHECK(both.cy == 200);
  const PictureLens one = lens_of({.focal = {500, 0}});
  CHECK(one.fy == 500);
}

TEST_CASE("the optical frame looks along the sensor's x, with its x to the right and its y down") {
  const Pose X_WC = optical_frame({{1, 2, 3}, {}});
  const auto near = [](const Vec3& a, const Vec3& b) { return dot(a - b, a - b) < 1e-24; };
  CHECK(near(rotate(X_WC.q, {0, 0, 1}), {1, 0, 0}));
  CHECK(near(rotate(X_WC.q, {1, 0, 0}), {0, -1, 0}));
  CHECK(near(rotate(X_WC.q, {0, 1, 0}), {0, 0, -1}));
  CHECK(near(X_WC.p, {1, 2, 3}));
}

TEST_CASE("what no camera can be is refused with a reason") {
  CHECK(problem_of(CameraModel{}).empty());
  CHECK(refusal([](CameraModel& m) { m.width = 0; }) == "width and height are from 1 to 8192 pixels");
  CHECK(refusal([](CameraModel& m) { m.width = 8192, m.height = 4096; }) == "a picture has at most 16777216 pixels");
  CHECK(refusal([](CameraModel& m) { m.field = 3.2; }) == "field lies between 0.001 and 3.1 rad");
  CHECK(refusal([](CameraModel& m) { m.focal[1] = -1; }) == "focal is two lengths of 0 to 1e6 pixels");
  CHECK(refusal([](CameraModel& m) { m.center[0] = NAN; }) == "center is two numbers of at most 1e6 pixels");
  CHECK(refusal([](CameraModel& m) { m.near = 5, m.far = 4; }) ==
        "near and far lie between 0.001 and 1e5 m, near first");
  CHECK(refusal([](CameraModel& m) { m.color = false; }) == "it takes no picture: color, depth, numbers or classes");
  CHECK(refusal([](CameraModel& m) { m.noise = 1.5; }) == "noise lies between 0 and 1");
}

TEST_CASE("noise is that of the sample, and leaves who and what is seen alone") {
  const CameraModel model{.noise = 0.05, .depth_noise = 0.1};
  CameraPicture picture;
  picture.color = Bytes(300, 128), picture.depth = std::vector<float>(100, 4.0f);
  picture.depth[7] = INFINITY, picture.numbers = std::vector<std::uint32_t>(100, 3);
  const auto read = [&](std::uint64_t sample) {
    return reading_of(model, picture, Noise(1, WorldNumber(2), "front", sample));
  };
  const CameraReading one = read(5), same = read(5), other = read(6);

  CHECK(save(one) == save(same));
  CHECK(one.color != other.color);
  CHECK(one.numbers == picture.numbers);
  CHECK(std::isinf(one.depth[7]));
  double mean = 0, square = 0;
  for (const std::uint8_t value : one.color) mean += value / 300.0;
  for (const std::uint8_t value : one.color) square += (value - mean) * (value - mean) / 300.0;
  CHECK(std::abs(mean - 128) < 3);
  CHECK(std::abs(std::sqrt(square) - 0.05 * 255) < 2);
}

TEST_CASE("a thinned reading is that of a camera of fewer pixels") {
  CameraReading full{.lens = lens_of({.width = 5, .height = 3})};
  for (std::uint32_t i = 0; i < 15; ++i) {
    full.numbers.push_back(i), full.depth.push_back(static_cast<float>(i));
    for (int c = 0; c < 3; ++c) full.color.push_back(static_cast<std::uint8_t>(3 * i) + static_cast<std::uint8_t>(c));
  }
  const CameraReading thin = thinned(full, 2);
  CHECK(thin.lens.width == 3);
  CHECK(thin.lens.height == 2);
  CHECK(thin.lens.cx == full.lens.cx / 2);
  CHECK(thin.numbers == std::vector<std::uint32_t>{0, 2, 4, 10, 12, 14});
  CHECK(thin.depth.size() == 6);
  CHECK(thin.classes.empty());
  REQUIRE(thin.color.size() == 18);
  CHECK(thin.color[3] == 6);
  CHECK(thin.color[17] == 44);
}

}  // namespace camera_test
