// A scene as the graphics card draws it from one place: instances of the same triangles, one call each kind.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "render/models.h"
#include "render/scene.h"

namespace convoy::render {

// A piece of an item, placed in the world; all views share it.
struct Placed {
  const Piece* piece = nullptr;
  Vec3 p_WS;                 // m
  std::array<Vec3, 3> axes;  // of S, in W
  Vec3 ball;                 // the middle of what holds it, in W
  std::uint32_t instance = 0, category = 0;
};
std::vector<Placed> place(std::span<const Item> items, Models& models);

// As the card gets it: bytes, as in the corner shader's inputs.
struct Instance {
  std::array<std::array<float, 4>, 3> rows{};  // of the pose in V, the world's axes around the camera
  std::array<float, 4> scale{};
  std::array<float, 4> color{};  // linear light and opacity
  std::array<std::uint32_t, 2> ids{};
  std::array<float, 4> look{}, place{};
};

struct Batch {
  Form form{};
  Texturing texturing{};
  GLuint texture = 0;
  const Solid* solid = nullptr;
  bool outside = false;                // inner sides can't be seen
  bool lines = false;                  // of the bare ground
  bool faint = false;                  // of an opacity below a half: not what depth and ids are about
  std::uint32_t first = 0, count = 0;  // of the instances
  friend bool operator==(const Batch&, const Batch&) = default;
};

struct Drawing {
  std::vector<Instance> instances;
  std::vector<Batch> solid, planes, clear;  // clear: from the back to the front
};

// From a camera.
Drawing drawing_of(std::span<const Placed> placed, const View& view, const Models& models);

// What may throw a shadow into a square: as seen against `to_sun` along `x` and `y`.
struct ShadowSquare {
  Vec3 to_sun, x, y;  // of length 1
  Vec3 middle;        // in W
  double half = 0;    // m
  double texel = 0;   // m
};
Drawing shadows_of(std::span<const Placed> placed, const ShadowSquare& square, const Vec3& eye, const Models& models);

}  // namespace convoy::render
