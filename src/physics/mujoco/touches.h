// What a robot touches, from what MuJoCo has worked out of a state: points, normals and forces, in the world.
#pragma once

#include <mujoco/mujoco.h>

#include <functional>
#include <vector>

#include "convoy/geometry.h"
#include "physics/panel.h"
#include "world/contact_reading.h"

namespace convoy::mujoco {

// Whose a body behind the robot's own in the model is; kNoEntity: the static world's.
using WhoIs = std::function<WorldNumber(int body)>;

// Of the contacts in which a moving body of the robot takes part, `kMaxContacts` at most. Its own bodies are the first
// `own` of the model; its file's frame is X_WF.
void read_contacts(const mjModel* m, const mjData* d, int own, const Pose& X_WF, const WhoIs& who_is,
                   std::vector<ContactReading>& out);

}  // namespace convoy::mujoco
