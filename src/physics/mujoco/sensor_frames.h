// Sensors of MuJoCo that give places and directions, as the world has them: MuJoCo works them out in the file's frame F.
#pragma once

#include <mujoco/mujoco.h>

#include "convoy/geometry.h"

namespace convoy::mujoco {

// Turns sensordata in place. Frame sensors that refer to another frame, what `contact` and `rangefinder` give beside
// numbers, and the magnetic field, which is the file's, stay as they are.
void sensors_to_world(const mjModel* m, const Pose& X_WF, double* sensordata);

}  // namespace convoy::mujoco
