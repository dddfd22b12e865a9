// A compiled model as it is where its file's frame F stands: gravity, wind and the magnetic field point in F as they do
// in the world, and its level ground is the world's.
//
// They differ from the file's only where F is raised or tilted: place, which shares all arrays of the compiled model but
// those of its geoms' places, serves one robot.
#pragma once

#include <mujoco/mujoco.h>

#include <memory>
#include <vector>

#include "convoy/geometry.h"

namespace convoy::mujoco {

// Turns them in a model that nobody else uses; `X_WF` is no level() pose. The file's vectors mean the frame that has the
// same place and heading, but is level.
void place(mjModel& m, const Pose& X_WF);

class PlacedModel {
 public:
  // `model` outlives it.
  PlacedModel(const mjModel* model, const Pose& X_WF);
  PlacedModel(const PlacedModel&) = delete;
  PlacedModel& operator=(const PlacedModel&) = delete;
  const mjModel* get() const { return &model_; }

 private:
  mjModel model_;  // its arrays are the compiled model's, but for these
  std::vector<mjtNum> geom_pos_, geom_quat_;
  std::vector<mjtByte> geom_sameframe_;
};

// Null where F is level.
std::unique_ptr<PlacedModel> placed(const mjModel* model, const Pose& X_WF);

}  // namespace convoy::mujoco
