// Loose objects as a scenario names them: solved together in one agent, which is an entity of its own.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "convoy/geometry.h"
#include "convoy/time.h"

namespace convoy {

struct LooseBody {
  enum class Shape : std::uint8_t { kFile, kBox, kSphere, kCylinder };
  std::string name;  // unique in its group
  Shape shape = Shape::kBox;
  std::array<double, 3> size{};  // m: length, width, height; radius; radius, height
  double mass = 1;               // kg
  double friction = 1;           // sliding
  std::string file;              // of kFile, MJCF: all that is in it, in place of shape, mass and friction
  Pose X_WB;                     // of the shape's middle, or of the file's world
};

struct LooseGroup {
  std::string name;    // of the model and its one entity
  std::string folder;  // of the files
  Duration step{};     // of its physics
  std::vector<LooseBody> bodies;
};

// Where it may come to is not known at the start: it is looked at by all, m (see Model::reach).
inline constexpr double kAnywhere = 1e5;

}  // namespace convoy
