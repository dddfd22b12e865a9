// What a picture shows, and from where: items, the environment, and a camera.
//
// Frames: W the world, C the camera's optical frame (REP 103: x to the right, y down, z forward), L a link.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "convoy/geometry.h"
#include "shapes/shapes.h"
#include "world/environment.h"

namespace convoy::render {

inline constexpr std::uint32_t kNothing = 0;  // the id of pixels that show no item

// A robot, an object, or all of the scenery.
struct Item {
  std::shared_ptr<const Shapes> shapes;  // uploaded once, for as long as someone keeps it
  std::vector<Pose> X_WL;                // of each link, as place_links() makes them
  std::uint32_t instance = kNothing;     // comes back in each pixel that shows it
  std::uint16_t category = kNothing;     // of Shapes::category, by a table of the caller's
};

struct Scene {
  std::span<const Item> items;  // order decides where surfaces coincide: the first is seen; of planes, the last
  Environment environment;      // its time of day, fog, rain, wetness and cloudiness
  double time = 0;              // s, of the run: how far drops of rain have fallen
};

// Brown's lens as ROS' plumb_bob has it: k1, k2, p1, p2, k3. All 0: a pinhole.
struct Lens {
  double k1 = 0, k2 = 0, p1 = 0, p2 = 0, k3 = 0;
  friend bool operator==(const Lens&, const Lens&) = default;
};

// What to make of it.
struct Channels {
  bool colour = true, depth = false, ids = false;
};

inline constexpr std::uint32_t kMaxSide = 16'384;                // pixels
inline constexpr std::size_t kMaxPixels = std::size_t{1} << 26;  // of one picture: 67 million

// A pixel's middle has whole coordinates, as in ROS and OpenCV: pixel (u, v), counted from the upper left, looks along
// ((u - cx) / fx, (v - cy) / fy, 1) in C. So the middle of a picture is cx = (width - 1) / 2.
struct View {
  Pose X_WC;
  std::uint32_t width = 640, height = 480;            // pixels
  double fx = 500, fy = 500, cx = 319.5, cy = 239.5;  // pixels
  double near = 0.01;                                 // m along z; what is nearer is not there
  double far = 1000;  // m along z; depth and ids end there, colour does not: a camera sees mountains
  Lens lens;
  Channels channels;
};

// Empty, or why it can't be drawn.
std::string problem_of(const View& view);
std::string problem_of(const Scene& scene);

// Row by row from the top. A channel that wasn't asked for is empty.
struct Picture {
  std::uint32_t width = 0, height = 0;
  std::vector<std::uint8_t> rgb;        // three bytes a pixel, sRGB
  std::vector<float> depth;             // m along z; +infinity where nothing is within `far` (REP 117, REP 118)
  std::vector<std::uint32_t> instance;  // of the nearest shape of an opacity of at least a half; exact, never blended
  std::vector<std::uint32_t> category;
  friend bool operator==(const Picture&, const Picture&) = default;
};

}  // namespace convoy::render
