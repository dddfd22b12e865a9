// What a compiled model looks like, for all who have no engine (shapes/shapes.h).
#pragma once

#include <mujoco/mujoco.h>

#include "physics/mujoco/compiled.h"
#include "shapes/shapes.h"

namespace convoy::mujoco {

// Links are MuJoCo's bodies, by their numbers; link 0 is the file's world. `start`: all that follows from the positions
// at the start. Geoms of the groups 0 to 2 are visible, as in MuJoCo's own viewer, or all of them if none is; but for
// those that are transparent. Flexible bodies and skins have their shape at the start.
Shapes look_of(const Compiled& compiled, const mjData* start);

}  // namespace convoy::mujoco
