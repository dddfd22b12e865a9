// The cameras that a robot's file has: what they see is drawn elsewhere.
#pragma once

#include <vector>

#include "physics/mujoco/compiled.h"
#include "world/model_camera.h"

namespace convoy::mujoco {

// In the order of the file, each with the pixels and focal lengths that MuJoCo's own renderer gives it; 640 x 480 where it
// has no resolution. What is left out is said in the report: cameras that turn towards something or follow it, those
// without perspective, and of a floating robot those that stand in its file's world.
std::vector<ModelCamera> cameras_of(const Compiled& c, ImportReport& report);

}  // namespace convoy::mujoco
