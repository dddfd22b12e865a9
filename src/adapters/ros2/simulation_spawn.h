// How simulation_interfaces makes entities: spawn_entity, spawn_entities, get_spawnables.
//
// What they are made of is a resource: a model that the run has, `convoy:///model/turtlebot3_burger` or its name alone; and
// where somebody reads descriptions, a robot's text or file.
#pragma once

#include "adapters/ros2/brought_models.h"
#include "adapters/ros2/simulation_services.h"

namespace convoy::ros2 {

inline constexpr const char* kModelUri = "convoy:///model/";
inline constexpr std::size_t kMaxSpawned = 10'000;  // by one request

class SimulationSpawn {
 public:
  explicit SimulationSpawn(SimulationServices& services);
  void proceed() { models_.proceed(); }  // now and then

 private:
  BroughtModels models_;
};

}  // namespace convoy::ros2
