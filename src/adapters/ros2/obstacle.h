// What a robot should not touch, as plans, viewers and filters of ROS have it: things made of primitives and meshes.
//
//   ObstacleLooks looks;
//   const auto parts = looks.of(model, files);          // once for each model
//   ObstacleChanges changes = changes_of(before, now);
//   publish(planning_scene_of(changes, "map", stamp));
//
// Frames: F the frame in which they are told, O the obstacle's own, L a link, P a part, whose axes are those of its shape.
#pragma once

#include <map>
#include <memory>
#include <moveit_msgs/msg/planning_scene.hpp>
#include <sensor_msgs/msg/point_cloud2.hpp>
#include <string>
#include <vector>
#include <visualization_msgs/msg/marker_array.hpp>

#include "convoy/time.h"
#include "shapes/scene.h"
#include "shapes/shape_book.h"

namespace convoy::ros2 {

inline constexpr std::size_t kMaxObstacleParts = 20'000;    // of one model or scene; the others are left out
inline constexpr std::size_t kMaxObstaclePoints = 200'000;  // of one cloud; the others are left out
inline constexpr double kPointSpacing = 0.1;                // m, at most, along both edges of a triangle

// One piece: a box, sphere or cylinder of the size that Shape has, or else a mesh.
struct ObstaclePart {
  Shape::Kind kind{};
  Vec3 size;
  std::shared_ptr<const Mesh> mesh;  // of kMesh, in P
  Color color{};
  std::uint32_t link = 0;
  Pose X_LP;
};

// The parts of models and of what never moves, made once each. What is not solid, and planes, are none.
class ObstacleLooks {
 public:
  struct Look {
    std::shared_ptr<const Shapes> shapes;
    std::vector<ObstaclePart> parts;
  };
  // Null: it has no part, or its file is damaged.
  std::shared_ptr<const Look> of(ShapeBook& book, const std::shared_ptr<const Model>& model, const ModelFiles& files);
  // Of the world. Null: as above.
  std::shared_ptr<const Look> of_scene(const Scenery& scenery, const ModelFiles& files);

 private:
  std::map<const Model*, std::shared_ptr<const Look>> looks_;
  std::shared_ptr<const Look> scene_;
  bool has_scene_ = false;
};

// Where one is now.
struct Obstacle {
  Pose X_FO;
  std::vector<Pose> X_OP;  // of each part
  std::shared_ptr<const ObstacleLooks::Look> look;
};
using Obstacles = std::map<std::string, Obstacle>;

// What is to be told so that `before` becomes `now`: less than 1 mm or 1 mrad is nothing.
struct ObstacleChanges {
  std::map<std::string, const Obstacle*> made;   // new, or of another form; borrowed
  std::map<std::string, const Obstacle*> moved;  // as they were, elsewhere
  std::vector<std::string> gone;
  bool empty() const { return made.empty() && moved.empty() && gone.empty(); }
};
ObstacleChanges changes_of(const Obstacles& before, const Obstacles& now);

// A difference to the scene that its listener has, with an object for each obstacle.
moveit_msgs::msg::PlanningScene planning_scene_of(const ObstacleChanges& changes, const std::string& frame,
                                                  Instant stamp);
// A marker for each part, numbered from 0 on in its obstacle's name. Of those that are gone, one that deletes all of them
// needs their number: `before` has it.
visualization_msgs::msg::MarkerArray markers_of(const ObstacleChanges& changes, const Obstacles& before,
                                                const std::string& frame, Instant stamp);
// Points on their surfaces, all of them: x, y, z as floats.
sensor_msgs::msg::PointCloud2 points_of(const Obstacles& obstacles, const std::string& frame, Instant stamp);

}  // namespace convoy::ros2
