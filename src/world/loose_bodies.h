// Loose objects of a scenario (crates, balls). Those of one group are simulated together, as one agent and one entity.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "convoy/geometry.h"
#include "convoy/time.h"
#include "core/fields.h"
#include "world/engine_options.h"

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
template <class V, MaybeConst<LooseBody> T>
void fields(V& v, T& b) {
  v("name", b.name), v("shape", b.shape), v("size", b.size), v("mass", b.mass), v("friction", b.friction);
  v("file", b.file), v("X_WB", b.X_WB);
}

struct LooseGroup {
  std::string name;    // of the model and its one entity
  std::string folder;  // of the files
  Duration step{};     // of its physics, unless an option says otherwise
  std::vector<LooseBody> bodies;
  EngineOptions options{};
};
template <class V, MaybeConst<LooseGroup> T>
void fields(V& v, T& g) {
  v("name", g.name), v("folder", g.folder), v("step", g.step), v("options", g.options), v("bodies", g.bodies);
}

// Model::reach of a group: its bodies may get anywhere, so every neighbour query must find it, m.
inline constexpr double kAnywhere = 1e5;

}  // namespace convoy
