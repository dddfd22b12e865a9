// Boxes around shapes, and how far apart two of them are at least.
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

// What is solid of body b of the model `m`, with the margins of its contacts, where B has it at X_BL.
BoundingBox box_of(const mjModel* m, int b, const Pose& X_BL);
// The same wherever joints between it and `root`, which is above it and fixed in B, put it. `X_BL` by body: where they are
// at some positions of these joints. Exact about one hinge; of more, the box holds the sphere with `radius` (m) around root.
BoundingBox swept_box(const mjModel* m, int b, int root, std::span<const Pose> X_BL, double radius);
bool is_solid(const mjModel* m, int geom);

// No two points of theirs are nearer, m; below 0 they may overlap. Neither is empty.
double least_distance(const BoundingBox& a, const Pose& X_WA, const BoundingBox& b, const Pose& X_WB);

}  // namespace convoy::mujoco
