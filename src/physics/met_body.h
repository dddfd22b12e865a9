// What an engine is shown of the robots around it: rigid bodies as its own robot may meet them in a tick.
#pragma once

#include <array>
#include <vector>

#include "convoy/geometry.h"
#include "physics/physics.h"

namespace convoy {

// A solid part of a body.
struct MetShape {
  enum class Kind : std::uint8_t { kSphere, kCapsule, kEllipsoid, kCylinder, kBox, kHull };
  Kind kind{};
  Vec3 size;                  // as sensor::Shape
  Pose X_BS;                  // in the body's frame B
  std::vector<Vec3> corners;  // of a hull, in S
  double friction = 1;        // sliding
};

struct MetBody {
  WorldNumber number = kNoEntity;  // whose
  Pose X_WB;
  Twist v_WB_W;                     // of its origin
  bool free = false;                // a push moves it; else nothing does
  bool passive = false;             // nothing but pushes, gravity and friction on the ground moves it: a crate
  double mass = 0;                  // kg; of a free one
  Vec3 com;                         // its centre of mass, in B
  std::array<double, 6> inertia{};  // about com, along B's axes: xx yy zz xy xz yz
  Vec3 force, torque;               // in W: of gravity and the static world in the last tick, about its centre of mass
  std::vector<MetShape> shapes;
};

// Those of a robot without files: its footprint, which nothing moves.
void add_footprint(const Neighbour& neighbour, std::vector<MetBody>& out);

}  // namespace convoy
