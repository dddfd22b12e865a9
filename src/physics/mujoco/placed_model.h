// A compiled model as it is where its file's frame F stands: gravity, wind and the magnetic field point in F as they do
// in the world, and its level ground is the world's.
//
// They differ from the file's where F is raised or tilted, or where the world has a gravity and a wind for all. Such a
// model, which shares all arrays of the compiled one but those of its geoms' places, serves one robot.
#pragma once

#include <mujoco/mujoco.h>

#include <memory>
#include <optional>
#include <vector>

#include "convoy/geometry.h"
#include "physics/mujoco/numbers.h"
#include "physics/mujoco/outside_parts.h"

namespace convoy::mujoco {

// What is other than the file says: the world's gravity and wind for all robots, in W, and options of this one's engine.
struct Felt {
  std::optional<Vec3> gravity, wind;
  OptionValues options;
  bool any() const { return gravity || wind || !options.empty(); }
  friend bool operator==(const Felt&, const Felt&) = default;
};

// Turns them in a model that nobody else uses. The file's vectors mean the frame that has the same place and heading,
// but is level.
void place(mjModel& m, const Pose& X_WF, const Felt& felt);
// Are they other than in the compiled model?
inline bool is_placed(const Pose& X_WF, const Felt& felt) { return !is_level(X_WF) || felt.any(); }

class PlacedModel {
 public:
  // `model` outlives it.
  PlacedModel(const mjModel* model, const Pose& X_WF, const Felt& felt);
  PlacedModel(const PlacedModel&) = delete;
  PlacedModel& operator=(const PlacedModel&) = delete;
  const mjModel* get() const { return &model_; }

 private:
  mjModel model_;  // its arrays are the compiled model's, but for these
  std::vector<mjtNum> geom_pos_, geom_quat_;
  std::vector<mjtByte> geom_sameframe_;
};

// Null where they are as in the compiled model.
std::unique_ptr<PlacedModel> placed(const mjModel* model, const Pose& X_WF, const Felt& felt);

}  // namespace convoy::mujoco
