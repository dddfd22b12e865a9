// A MuJoCo model's instruments by name, and their readings.
#pragma once

#include <mujoco/mujoco.h>

#include <span>

#include "physics/panel.h"

namespace convoy::mujoco {

Panel panel_of(const mjModel* m);
// qacc: rad/s^2 or m/s^2, by degree of freedom.
void read(const mjModel* m, const EngineView& now, std::span<const double> qacc, const Panel& panel,
          PanelReadings& out);

}  // namespace convoy::mujoco
