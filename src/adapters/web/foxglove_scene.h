// What things look like and where their links are, for Foxglove's clients: figures of a world that goes on.
//
//   scene.follow(world);
//   desk.change_scene(now, scene.change(at, world));       // while somebody is subscribed to it
//   scene.frames(world, wanted, transforms);
//
// Entities and frames have the names that recordings give them (record/scene_writer.h): "robot/link", each fixed to the
// frame of that name. A recording is written once; here who comes later gets all of it, so each figure's part is apart.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "adapters/web/foxglove_desk.h"
#include "record/foxglove/scene.h"
#include "record/foxglove/transforms.h"
#include "shapes/shape_book.h"
#include "world/setup.h"
#include "world/world.h"

namespace convoy::web {

// Triangles of all meshes and terrains that are there at a time; more are shown as boxes.
inline constexpr std::size_t kMostTriangles = 200'000;

class FoxgloveScene {
 public:
  void begin(const Setup& setup);
  // Takes in who has come and gone.
  void follow(const World& world);
  // All of it, and after that what has changed since the last call.
  FoxgloveSceneChange change(Instant at, const World& world);
  // The next change is all of it.
  void forget() { shown_ = false; }
  // Appends the poses of entities, of their links, and of sensors whose topic is wanted. Names belong to this.
  void frames(const World& world, const std::set<std::string>& wanted, std::vector<FrameTransform>& out);

 private:
  struct Figure {
    std::shared_ptr<const Model> model;
    std::shared_ptr<const EntityKind> kind;
    std::shared_ptr<const Shapes> shapes;
    std::vector<std::string> frames;  // of its links
    struct Sensor {
      std::string topic, frame, parent;
      Pose X_PS;
    };
    std::vector<Sensor> sensors;
    std::size_t triangles = 0;  // that it has of the limit
  };
  Figure make(const Entity& entity, const World& world);
  void drop(const Figure& figure);
  void add(FoxgloveSceneChange& to, Instant at, Figure& figure);
  void add_scenery(FoxgloveSceneChange& to, Instant at, const World& world);
  void place(const Figure& figure, const Entity& entity, const Pose& X_WR, std::span<const double> joints,
             std::vector<FrameTransform>& out);

  std::vector<BoxShape> boxes_;
  std::vector<CylinderShape> cylinders_;
  ShapeBook book_;
  SceneLimits limits_;
  std::map<std::string, Figure> figures_;  // by the entity's name
  std::set<std::string> come_, gone_;      // names of figures, and of frames
  bool shown_ = false;
  std::vector<Pose> X_WL_;
};

}  // namespace convoy::web
