// What simulation_interfaces tells of the world that runs: its name, and the poses that have names in it, where entities begin.
//
// A run has the world of its scenario from its beginning to its end: load_world and unload_world are not supported.
#pragma once

#include "adapters/ros2/simulation_services.h"

namespace convoy::ros2 {

inline constexpr const char* kWorldUri = "convoy:///world/";

class SimulationWorlds {
 public:
  explicit SimulationWorlds(SimulationServices& services);
};

}  // namespace convoy::ros2
