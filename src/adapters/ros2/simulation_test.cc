// Everything of simulation_interfaces together: what the simulator says that it can do, against what it does.
#include "adapters/ros2/simulation.h"

#include <set>
#include <simulation_interfaces/srv/delete_entity.hpp>
#include <simulation_interfaces/srv/get_available_worlds.hpp>
#include <simulation_interfaces/srv/get_current_world.hpp>
#include <simulation_interfaces/srv/get_entities.hpp>
#include <simulation_interfaces/srv/get_entity_bounds.hpp>
#include <simulation_interfaces/srv/get_entity_info.hpp>
#include <simulation_interfaces/srv/get_entity_state.hpp>
#include <simulation_interfaces/srv/get_named_pose_bounds.hpp>
#include <simulation_interfaces/srv/get_named_poses.hpp>
#include <simulation_interfaces/srv/get_simulation_state.hpp>
#include <simulation_interfaces/srv/get_simulator_features.hpp>
#include <simulation_interfaces/srv/get_spawnables.hpp>
#include <simulation_interfaces/srv/load_world.hpp>
#include <simulation_interfaces/srv/reset_simulation.hpp>
#include <simulation_interfaces/srv/set_entity_info.hpp>
#include <simulation_interfaces/srv/set_entity_state.hpp>
#include <simulation_interfaces/srv/set_simulation_state.hpp>
#include <simulation_interfaces/srv/spawn_entities.hpp>
#include <simulation_interfaces/srv/spawn_entity.hpp>
#include <simulation_interfaces/srv/step_simulation.hpp>
#include <simulation_interfaces/srv/unload_world.hpp>

#include "adapters/ros2/testing.h"

namespace simulation_test {

using namespace convoy;
using namespace convoy::ros2;
namespace srv = simulation_interfaces::srv;
using simulation_interfaces::action::SimulateSteps;
using simulation_interfaces::msg::Bounds;
using simulation_interfaces::msg::SimulationState;
using F = simulation_interfaces::msg::SimulatorFeatures;

namespace {

// What a program of ROS 2 would try, to see whether there is a feature: the result's code.
struct Hall : DoorRig {
  template <class ServiceT, class Fill>
  int ask(const char* name, const Fill& fill) {
    typename ServiceT::Request request;
    fill(request);
    return call<ServiceT>(name, request).result.result;
  }
  int choose(std::uint8_t bounds, std::uint8_t category, const std::string& tag) {
    return ask<srv::GetEntities>("/get_entities", [&](auto& request) {
      request.filters.bounds.type = bounds;
      request.filters.bounds.points.resize(bounds == Bounds::TYPE_EMPTY ? 0 : 2);
      if (category > 0) request.filters.categories.resize(1);
      if (!tag.empty()) request.filters.tags.tags = {tag};
    });
  }
  int reset(std::uint8_t scope) {
    return ask<srv::ResetSimulation>("/reset_simulation", [&](auto& request) { request.scope = scope; });
  }
  int set_state(std::uint8_t state) {
    return ask<srv::SetSimulationState>("/set_simulation_state", [&](auto& request) { request.state.state = state; });
  }
  int steps(std::uint64_t steps) {
    return ask<srv::StepSimulation>("/step_simulation", [&](auto& request) { request.steps = steps; });
  }
  template <class ServiceT>
  int about_alpha(const char* name) {
    return ask<ServiceT>(name, [](auto& request) { request.entity = "alpha"; });
  }
  int spawn(const std::string& text) {
    return ask<srv::SpawnEntity>("/spawn_entity", [&](auto& request) {
      request.name = "crate", request.allow_renaming = true;
      if (text.empty()) request.entity_resource.uri = "box";
      request.entity_resource.resource_string = text, request.initial_pose.pose.position.x = -3;
    });
  }
  int spawn_two() {
    return ask<srv::SpawnEntities>("/spawn_entities", [](auto& request) {
      request.spawn_requests.resize(2);
      for (auto& one : request.spawn_requests) one.entity_resource.uri = "box", one.allow_renaming = true;
      request.spawn_requests[1].initial_pose.pose.position.x = 1;
    });
  }
  int simulate_steps() {
    SimulateSteps::Impl::SendGoalService::Request goal;
    goal.goal_id.uuid[0] = 1, goal.goal.steps = 2;
    if (!call<SimulateSteps::Impl::SendGoalService>("/simulate_steps/_action/send_goal", goal).accepted) return 0;
    SimulateSteps::Impl::GetResultService::Request request;
    request.goal_id = goal.goal_id;
    return call<SimulateSteps::Impl::GetResultService>("/simulate_steps/_action/get_result", request)
        .result.result.result;
  }
  int world_of_text() {
    return ask<srv::LoadWorld>("/load_world", [](auto& request) { request.world_resource.resource_string = "<sdf/>"; });
  }
  int try_out(int feature);
};

int Hall::try_out(int feature) {
  switch (feature) {
    case F::SPAWNING: return spawn("");
    case F::DELETING: return about_alpha<srv::DeleteEntity>("/delete_entity");
    case F::NAMED_POSES: return call<srv::GetNamedPoses>("/get_named_poses").result.result;
    case F::POSE_BOUNDS:
      return ask<srv::GetNamedPoseBounds>("/get_named_pose_bounds", [](auto& request) { request.name = "alpha"; });
    case F::ENTITY_TAGS: return choose(Bounds::TYPE_EMPTY, 0, "wood");
    case F::ENTITY_BOUNDS: return about_alpha<srv::GetEntityBounds>("/get_entity_bounds");
    case F::ENTITY_BOUNDS_BOX: return choose(Bounds::TYPE_BOX, 0, "");
    case F::ENTITY_BOUNDS_CONVEX: return choose(Bounds::TYPE_CONVEX_HULL, 0, "");
    case F::ENTITY_CATEGORIES: return choose(Bounds::TYPE_SPHERE, 1, "");
    case F::SPAWNING_RESOURCE_STRING: return spawn("<robot name='crate'><link name='base'/></robot>");
    case F::ENTITY_STATE_GETTING: return about_alpha<srv::GetEntityState>("/get_entity_state");
    case F::ENTITY_STATE_SETTING:
      return ask<srv::SetEntityState>("/set_entity_state", [](auto& r) { r.entity = "alpha", r.set_pose = true; });
    case F::ENTITY_INFO_GETTING: return about_alpha<srv::GetEntityInfo>("/get_entity_info");
    case F::ENTITY_INFO_SETTING:
      return ask<srv::SetEntityInfo>("/set_entity_info", [](auto& request) {
        request.entity = "alpha", request.info.category.category = 1, request.info.tags = {"fast"};
      });
    case F::SPAWNABLES: return call<srv::GetSpawnables>("/get_spawnables").result.result;
    case F::SIMULATION_RESET: return reset(0);
    case F::SIMULATION_RESET_TIME: return reset(1);
    case F::SIMULATION_RESET_STATE: return reset(2);
    case F::SIMULATION_RESET_SPAWNED: return reset(4);
    case F::SIMULATION_STATE_GETTING: return call<srv::GetSimulationState>("/get_simulation_state").result.result;
    case F::SIMULATION_STATE_SETTING: return set_state(SimulationState::STATE_PLAYING);
    case F::SIMULATION_STATE_PAUSE: return set_state(SimulationState::STATE_PAUSED);
    case F::STEP_SIMULATION_SINGLE: return steps(1);
    case F::STEP_SIMULATION_MULTIPLE: return steps(7);
    case F::STEP_SIMULATION_ACTION: return simulate_steps();
    case F::WORLD_LOADING: return call<srv::LoadWorld>("/load_world").result.result;
    case F::WORLD_RESOURCE_STRING: return world_of_text();
    case F::WORLD_TAGS:
    case F::AVAILABLE_WORLDS:
      return ask<srv::GetAvailableWorlds>("/get_available_worlds",
                                          [](auto& request) { request.filter.tags = {"lockstep"}; });
    case F::WORLD_UNLOADING: return call<srv::UnloadWorld>("/unload_world").result.result;
    case F::WORLD_INFO_GETTING: return call<srv::GetCurrentWorld>("/get_current_world").result.result;
    case F::SPAWNING_ENTITIES: return spawn_two();
    default: return -1;
  }
}

constexpr int kLastFeature = F::SPAWNING_ENTITIES;

}  // namespace

TEST_CASE("the simulator can do what it says, and what it does not say it refuses") {
  const auto told = DoorRig().call<srv::GetSimulatorFeatures>("/get_simulator_features").features;
  const std::set<int> says(told.features.begin(), told.features.end());
  CHECK(says.size() == told.features.size());
  std::set<int> refuses;
  for (int feature = 0; feature <= kLastFeature; ++feature) {
    Hall dut;  // a run for each: they do what they are asked
    const int result = dut.try_out(feature);
    if (result < 0) continue;
    CAPTURE(feature);
    CHECK((result == SimResult::RESULT_OK) == (says.count(feature) > 0));
    if (result != SimResult::RESULT_OK) refuses.insert(feature);
  }
  CHECK(refuses == std::set<int>{F::ENTITY_BOUNDS_CONVEX, F::SPAWNING_RESOURCE_STRING, F::WORLD_LOADING,
                                 F::WORLD_RESOURCE_STRING, F::WORLD_UNLOADING});
}

TEST_CASE("where somebody reads descriptions of robots, it is said which") {
  struct Reader final : RobotImporter {
    void import(RobotDescription, Imported) override {}
    void proceed() override {}
  };
  DoorRig dut({.importer = std::make_unique<Reader>()});
  const auto told = dut.call<srv::GetSimulatorFeatures>("/get_simulator_features").features;
  CHECK(std::count(told.features.begin(), told.features.end(), F::SPAWNING_RESOURCE_STRING) == 1);
  CHECK(told.spawn_formats == std::vector<std::string>{"urdf", "mjcf", "sdf"});
  CHECK(DoorRig().call<srv::GetSimulatorFeatures>("/get_simulator_features").features.spawn_formats.empty());
}

TEST_CASE("worlds and hulls are what is not supported") {
  Hall dut;
  for (const int feature : {F::ENTITY_BOUNDS_CONVEX, F::WORLD_LOADING, F::WORLD_RESOURCE_STRING, F::WORLD_UNLOADING})
    CHECK(dut.try_out(feature) == SimResult::RESULT_FEATURE_UNSUPPORTED);
}

TEST_CASE("requests that are cut short are counted, and nobody is answered") {
  DoorRig dut;
  const auto type = ros::ServiceSupport::of<srv::SpawnEntity>();
  srv::SpawnEntity::Request request;
  request.name = "crate", request.entity_resource.uri = "box";
  const Bytes whole = *type.request.to_cdr(&request);
  RawClient client(dut, "/spawn_entity", type, {std::string(type.request.hash()), std::string(type.response.hash())});
  for (const std::size_t size : {std::size_t{0}, std::size_t{3}, std::size_t{4}, std::size_t{9}, whole.size() - 8}) {
    CAPTURE(size);
    const std::uint64_t before = dut.count("ros2_malformed");
    CHECK(client.call(ByteView(whole).first(size)).empty());
    CHECK(dut.count("ros2_malformed") == before + 1);
  }
  CHECK(dut.world().find("crate") == kNoSlot);
  CHECK(!client.call(whole).empty());
  CHECK(dut.world().find("crate") != kNoSlot);
}

}  // namespace simulation_test
