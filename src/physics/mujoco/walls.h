// The static world around MuJoCo robots, as geoms of one mocap body: a map's boxes, or what is fixed in an MJCF world.
//
// The body is the last one of a robot's model, and only of the variant that is stepped while some of it is within reach
// (near()). Its frame is the world's.
#pragma once

#include <mujoco/mujoco.h>

#include <memory>
#include <string>
#include <vector>

#include "physics/mujoco/ghosts.h"
#include "shapes/map_boxes.h"
#include "world/static_map.h"

namespace convoy::mujoco {

// What is outside of a robot's own document, but for ghosts.
inline constexpr const char* kOutside = "convoy:outside";
// A part of the world's model is called so, and then by its own name.
inline constexpr const char* kWorldPrefix = "convoy:world:";

class Walls {
 public:
  // kUnsupported: the map has too many boxes. Null: the map is empty.
  static Result<std::shared_ptr<const Walls>> of_map(std::shared_ptr<const StaticMap> map);
  // What no joint moves of a world, and is no mocap body.
  static std::shared_ptr<const Walls> of_world(const mjModel* m, std::uint64_t key);

  std::uint64_t key() const { return key_; }       // of what it was made from
  bool has_ground() const { return has_ground_; }  // a plane or a height field: robots need none of their own
  // May it be nearer to what is in the outline than `margin`, within `dt` seconds?
  bool near(const Outline& outline, double dt, double margin) const;
  void add(mjSpec* spec, mjsBody* body) const;

 private:
  struct Field {  // a height field
    std::array<double, 4> size{};
    int rows = 0, columns = 0;
    std::vector<float> data;
  };
  struct Wall {
    GhostGeom geom;  // in W
    int contype = 0, conaffinity = 0;
    std::string name;
    BoundingBox box;  // along the geom's axes; of a plane: empty
    Field field;
  };
  static Wall wall_of(const mjModel* m, int g, const Pose& X_WB);
  void add_boxes(mjSpec* spec, mjsBody* body) const;
  static void add_wall(mjSpec* spec, mjsBody* body, const Wall& wall, const std::string& name);

  std::uint64_t key_ = 0;
  bool has_ground_ = false;
  std::shared_ptr<const StaticMap> map_;
  std::vector<MapBox> boxes_;  // of the map
  std::vector<Wall> walls_;    // of a world
};

}  // namespace convoy::mujoco
