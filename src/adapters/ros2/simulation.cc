#include "adapters/ros2/simulation.h"

#include <simulation_interfaces/srv/get_simulator_features.hpp>

namespace convoy::ros2 {

namespace {

using simulation_interfaces::msg::SimulatorFeatures;
using AskFeatures = Served<simulation_interfaces::srv::GetSimulatorFeatures>;

constexpr std::uint16_t kFeatures[] = {SimulatorFeatures::SPAWNING,
                                       SimulatorFeatures::DELETING,
                                       SimulatorFeatures::NAMED_POSES,
                                       SimulatorFeatures::POSE_BOUNDS,
                                       SimulatorFeatures::ENTITY_TAGS,
                                       SimulatorFeatures::ENTITY_BOUNDS,
                                       SimulatorFeatures::ENTITY_BOUNDS_BOX,
                                       SimulatorFeatures::ENTITY_CATEGORIES,
                                       SimulatorFeatures::ENTITY_STATE_GETTING,
                                       SimulatorFeatures::ENTITY_STATE_SETTING,
                                       SimulatorFeatures::ENTITY_INFO_GETTING,
                                       SimulatorFeatures::ENTITY_INFO_SETTING,
                                       SimulatorFeatures::SPAWNABLES,
                                       SimulatorFeatures::SIMULATION_RESET,
                                       SimulatorFeatures::SIMULATION_RESET_TIME,
                                       SimulatorFeatures::SIMULATION_RESET_STATE,
                                       SimulatorFeatures::SIMULATION_RESET_SPAWNED,
                                       SimulatorFeatures::SIMULATION_STATE_GETTING,
                                       SimulatorFeatures::SIMULATION_STATE_SETTING,
                                       SimulatorFeatures::SIMULATION_STATE_PAUSE,
                                       SimulatorFeatures::STEP_SIMULATION_SINGLE,
                                       SimulatorFeatures::STEP_SIMULATION_MULTIPLE,
                                       SimulatorFeatures::STEP_SIMULATION_ACTION,
                                       SimulatorFeatures::WORLD_TAGS,
                                       SimulatorFeatures::WORLD_INFO_GETTING,
                                       SimulatorFeatures::AVAILABLE_WORLDS,
                                       SimulatorFeatures::SPAWNING_ENTITIES};

void tell_features(DoorHere& here, const AskFeatures::Request&, const AskFeatures::Respond& respond) {
  AskFeatures::Response out;
  out.features.features.assign(std::begin(kFeatures), std::end(kFeatures));
  out.features.custom_info = "Convoy; a resource may be a model of the run: convoy:///model/NAME";
  if (here.importer) {
    out.features.features.push_back(SimulatorFeatures::SPAWNING_RESOURCE_STRING);
    out.features.spawn_formats = {"urdf", "mjcf", "sdf"};
  }
  respond(out);
}

}  // namespace

Simulation::Simulation(DoorHere& here, Node& node)
    : services_(here, node),
      entities_(services_),
      spawn_(services_),
      time_(services_),
      steps_(services_),
      worlds_(services_) {
  services_.add<simulation_interfaces::srv::GetSimulatorFeatures>("get_simulator_features", tell_features);
}

}  // namespace convoy::ros2
