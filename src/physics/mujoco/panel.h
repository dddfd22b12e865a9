// A MuJoCo model's instruments by name, and their readings.
#pragma once

#include <mujoco/mujoco.h>

#include "physics/panel.h"

namespace convoy::mujoco {

Panel panel_of(const mjModel* m);
void read(const mjModel* m, const mjData* d, const Panel& panel, PanelReadings& out);

}  // namespace convoy::mujoco
