// simulation_interfaces 2.1: what a program of ROS 2 may ask of the whole run, through one client.
//
// Each service is in the client's namespace and, of the client that is the run's voice, at the root: /spawn_entity, ...
// A reply says what has happened, after it has. Who sends the type hashes of 1.x is answered in its form.
#pragma once

#include "adapters/ros2/simulation_entities.h"
#include "adapters/ros2/simulation_spawn.h"
#include "adapters/ros2/simulation_time.h"
#include "adapters/ros2/simulation_worlds.h"

namespace convoy::ros2 {

class Simulation {
 public:
  // Both outlive it.
  Simulation(DoorHere& here, Node& node);
  ~Simulation() { services_.close_all(); }
  Simulation(const Simulation&) = delete;

  // As SimulationServices: it serves in no place before.
  void open(const std::string& place) { services_.open(place); }
  void close(const std::string& place) { services_.close(place); }
  void close_all() { services_.close_all(); }
  void proceed() { spawn_.proceed(); }  // now and then

 private:
  SimulationServices services_;
  SimulationEntities entities_;
  SimulationSpawn spawn_;
  SimulationTime time_;
  SimulateSteps steps_;
  SimulationWorlds worlds_;
};

}  // namespace convoy::ros2
