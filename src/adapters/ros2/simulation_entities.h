// What simulation_interfaces tells of entities, and how it puts them elsewhere, tags them and takes them away.
//
//   get_entities, get_entities_states   as this client has the world: in lockstep exactly, at one boundary
//   get_entity_state, set_entity_state, set_entity_info, delete_entity   by the server, when it has happened
//   get_entity_info, get_entity_bounds
#pragma once

#include "adapters/ros2/entity_selection.h"
#include "adapters/ros2/simulation_services.h"

namespace convoy::ros2 {

// The frame of the world in headers; so are an empty one and "map".
inline constexpr const char* kWorldFrame = "world";
bool is_world_frame(const std::string& frame);
// What frames of poses are called in calls of the server: an entity, or nothing for the world.
std::string frame_in_call(const std::string& frame);

class SimulationEntities {
 public:
  explicit SimulationEntities(SimulationServices& services);
  SimulationEntities(const SimulationEntities&) = delete;

 private:
  EntityCategories categories_;
};

}  // namespace convoy::ros2
