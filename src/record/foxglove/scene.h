// foxglove.SceneUpdate: what things look like, each of their parts fixed to a frame that moves it.
//
//   SceneUpdate update(stamp, limits);
//   update.add("scout/base_link", "scout/base_link", shapes, placed);
//   update.remove("lorry/base_link");
//   file.write(line, time_ns, update.bytes());
#pragma once

#include <span>
#include <string_view>

#include "convoy/time.h"
#include "record/foxglove/proto.h"
#include "shapes/shapes.h"

namespace convoy {

// What large surfaces may take. A mesh beyond it is shown as its bounding box, terrain with fewer points.
struct SceneLimits {
  std::size_t of_one = 10'000;       // triangles of one shape
  std::size_t together = 1'000'000;  // of all meshes and terrains of a file
  double endless = 50;               // m; half of an edge of a plane without end
  friend bool operator==(const SceneLimits&, const SceneLimits&) = default;
};

// A shape in the frame that its entity is fixed to.
struct PlacedShape {
  const Shape* shape = nullptr;
  Pose X_FS;
};

class SceneUpdate {
 public:
  // `limits` outlives it; what it adds is taken from them.
  SceneUpdate(Instant stamp, SceneLimits& limits) : stamp_(stamp), limits_(limits) {}

  void remove(std::string_view id);
  void remove_all();
  // `all`: what the shapes are of. Replaces an entity of the same id.
  void add(std::string_view id, std::string_view frame, const Shapes& all, std::span<const PlacedShape> shapes);

  bool empty() const { return bytes_.empty(); }
  const Bytes& bytes() const { return bytes_; }

 private:
  void put(Proto& entity, const Shapes& all, const PlacedShape& placed);
  void put_surface(Proto& entity, const Shapes& all, const PlacedShape& placed);

  Instant stamp_;
  SceneLimits& limits_;
  Bytes bytes_;
};

}  // namespace convoy
