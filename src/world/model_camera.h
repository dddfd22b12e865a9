// A camera that a robot's file has of its own: where it is, and what its pictures are like.
#pragma once

#include <cstdint>
#include <string>

#include "convoy/geometry.h"
#include "core/fields.h"

namespace convoy {

struct ModelCamera {
  std::string name;
  std::string link;                         // of the model; empty: the robot's own frame
  Pose X_LC;                                // its optical frame (REP 103: x right, y down, z forward) in the link
  std::uint32_t width = 640, height = 480;  // px
  double fx = 0, fy = 0, cx = 0, cy = 0;    // px; (0, 0) is the middle of the upper left pixel
  bool color = true, depth = false, parts = false;  // what it takes; parts: whose each pixel is
};
template <class V, MaybeConst<ModelCamera> T>
void fields(V& v, T& c) {
  v("name", c.name), v("link", c.link), v("X_LC", c.X_LC), v("width", c.width), v("height", c.height);
  v("fx", c.fx), v("fy", c.fy), v("cx", c.cx), v("cy", c.cy);
  v("color", c.color), v("depth", c.depth), v("parts", c.parts);
}

}  // namespace convoy
