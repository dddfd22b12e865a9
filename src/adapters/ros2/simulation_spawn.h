// How simulation_interfaces makes entities: spawn_entity, spawn_entities, get_spawnables.
//
// What they are made of is a resource: a model that the run has, `convoy:///model/turtlebot3_burger` or its name alone.
#pragma once

#include "adapters/ros2/simulation_services.h"

namespace convoy::ros2 {

inline constexpr const char* kModelUri = "convoy:///model/";
inline constexpr std::size_t kMaxSpawned = 10'000;  // by one request

class SimulationSpawn {
 public:
  explicit SimulationSpawn(SimulationServices& services);
};

}  // namespace convoy::ros2
