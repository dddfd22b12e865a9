// How a robot's MJCF document is arranged so that one compiled model serves robots anywhere.
#pragma once

#include <string>
#include <vector>

#include "physics/mujoco/document.h"
#include "world/model_files.h"

namespace convoy::mujoco {

// What the document fixes to the world goes into one mocap body, kBaseBody, that each robot puts where it is created;
// free bodies stay, and so does a level plane at height 0, which is the ground. The order of joints stays where keyframes
// depend on it, or it is refused. `report` gets a line for each change.
Status bring_to_normal_form(Element& root, ImportReport& report);

}  // namespace convoy::mujoco
