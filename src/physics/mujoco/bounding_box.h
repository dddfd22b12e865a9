// Bounding boxes of bodies, and lower bounds of the distance between two of them.
#pragma once

#include <mujoco/mujoco.h>

#include <span>

#include "convoy/geometry.h"

namespace convoy::mujoco {

// Along the axes of a body's frame B, m. Empty as it is made.
struct BoundingBox {
  Vec3 low{1, 1, 1}, high{-1, -1, -1};
  bool empty() const { return low.x > high.x; }
  void add(const Vec3& p);
  void add(const BoundingBox& other, const Pose& X_BO);
};

// The box in frame B around the solid geoms of body b, contact margins included; X_BL is the body's pose in B.
BoundingBox box_of(const mjModel* m, int b, const Pose& X_BL);
// The same for all positions of the joints between `root` (an ancestor, fixed in B) and b. `X_BL`, by body, are the
// poses at some positions of these joints. For one hinge the box is exact; for more it holds a sphere of `radius` (m)
// around root.
BoundingBox swept_box(const mjModel* m, int b, int root, std::span<const Pose> X_BL, double radius);
bool is_solid(const mjModel* m, int geom);
bool is_ground(const mjModel* m, int geom);  // a plane or a height field that can be touched
// Does nothing free carry it, and is it no mocap body? Then the document's frame does, or joints that begin there.
bool stands(const mjModel* m, int body);

// A lower bound of the distance of two boxes, m; below 0: they may overlap. Neither is empty.
double least_distance(const BoundingBox& a, const Pose& X_WA, const BoundingBox& b, const Pose& X_WB);

}  // namespace convoy::mujoco
