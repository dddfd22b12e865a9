#include "adapters/ros2/simulation_worlds.h"

#include <fmt/format.h>

#include <simulation_interfaces/srv/get_available_worlds.hpp>
#include <simulation_interfaces/srv/get_current_world.hpp>
#include <simulation_interfaces/srv/get_named_pose_bounds.hpp>
#include <simulation_interfaces/srv/get_named_poses.hpp>
#include <simulation_interfaces/srv/load_world.hpp>
#include <simulation_interfaces/srv/unload_world.hpp>

#include "adapters/ros2/ask.h"
#include "adapters/ros2/bounds.h"
#include "adapters/ros2/entity_selection.h"
#include "messages/geometry.h"
#include "world/world_model.h"

namespace convoy::ros2 {

namespace {

namespace sim = simulation_interfaces::msg;
namespace sim_srv = simulation_interfaces::srv;
using NamedPoses = Served<sim_srv::GetNamedPoses>;
using PoseBounds = Served<sim_srv::GetNamedPoseBounds>;
using CurrentWorld = Served<sim_srv::GetCurrentWorld>;
using Worlds = Served<sim_srv::GetAvailableWorlds>;

constexpr const char* kOneWorld =
    "a run has the world of its scenario from its beginning to its end: start another run for another world";

// Asks for the facts of the world; `then` is given them unless `respond` was given why not.
template <class Response>
void ask_for_world(DoorHere& here, const std::function<void(const Response&)>& respond,
                   const std::function<void(const Json&)>& then) {
  if (!here.fleet) return respond(with<Response>(not_begun()));
  ask(here.control, *here.fleet, "world", Json::object(), {}, [respond, then](const Answer& answer) {
    if (answer.error) return respond(with<Response>(result_of(answer.error)));
    then(answer.data());
  });
}

std::vector<double> numbers_in(const Json& object, const char* name) {
  const Json row = object.value(name, Json::array());
  std::vector<double> out;
  for (const Json& one : row) out.push_back(one.is_number() ? one.get<double>() : 0);
  return out;
}

std::optional<sim::NamedPose> named_pose(const Json& place) {
  const std::string name = place.value("name", ""), model = place.value("model", "");
  if (model == kProgramModel || model == kWorldObjects) return std::nullopt;
  const std::vector<double> p = numbers_in(place, "position"), q = numbers_in(place, "orientation");
  if (p.size() != 3 || q.size() != 4) return std::nullopt;
  sim::NamedPose out;
  out.name = name, out.description = "where " + name + ", of model " + model + ", begins";
  out.tags = {model};
  out.pose = ros::message_of(Pose{{p[0], p[1], p[2]}, {q[0], q[1], q[2], q[3]}});
  return out;
}

void tell_poses(DoorHere& here, const NamedPoses::Request& request, const NamedPoses::Respond& respond) {
  if (request.tags.filter_mode > sim::TagsFilter::FILTER_MODE_ALL)
    return respond(with<NamedPoses::Response>(failed("tags are filtered by any or by all of them")));
  ask_for_world<NamedPoses::Response>(here, respond, [respond, tags = request.tags](const Json& world) {
    const Json places = world.value("places", Json::array());
    const bool all = places.size() >= world.value("entities", std::size_t{0});
    auto out = with<NamedPoses::Response>(done(all ? "" : fmt::format("the first {} of them are told", places.size())));
    for (const Json& place : places)
      if (auto pose = named_pose(place); pose && has_tags(pose->tags, tags)) out.poses.push_back(std::move(*pose));
    respond(out);
  });
}

// The space of what begins there, in the pose's frame.
void tell_pose_bounds(DoorHere& here, const PoseBounds::Request& request, const PoseBounds::Respond& respond) {
  ask_for_world<PoseBounds::Response>(here, respond, [&here, respond, name = request.name](const Json& world) {
    for (const Json& place : world.value("places", Json::array())) {
      const auto pose = named_pose(place);
      if (!pose || pose->name != name) continue;
      const Model* model = here.fleet ? here.fleet->world().model(pose->tags.front()) : nullptr;
      auto out = with<PoseBounds::Response>(done());
      if (model) out.bounds = message_of(body_of(*model));
      return respond(out);
    }
    respond(with<PoseBounds::Response>(
        refused(SimResult::RESULT_NOT_FOUND, "no pose is named '" + name.substr(0, 140) + "'")));
  });
}

sim::WorldResource resource_of(const Json& world) {
  sim::WorldResource out;
  const std::string mode = world.value("mode", "");
  out.name = world.value("name", "");
  out.world_resource.uri = kWorldUri + out.name;
  out.description = fmt::format("{}, {} mode, ticks of {} s, {} entities at its beginning", out.name, mode,
                                world.value("tick", 0.0), world.value("entities", 0));
  out.tags = {mode};
  return out;
}

void tell_current(DoorHere& here, const CurrentWorld::Request&, const CurrentWorld::Respond& respond) {
  ask_for_world<CurrentWorld::Response>(here, respond, [respond](const Json& world) {
    auto out = with<CurrentWorld::Response>(done());
    out.world = resource_of(world);
    respond(out);
  });
}

void tell_available(DoorHere& here, const Worlds::Request& request, const Worlds::Respond& respond) {
  if (request.filter.filter_mode > sim::TagsFilter::FILTER_MODE_ALL)
    return respond(with<Worlds::Response>(failed("tags are filtered by any or by all of them")));
  std::string remark;
  if (!request.additional_sources.empty())
    remark =
        "'" + request.additional_sources.front().substr(0, 140) + "' is no source here: there is the world that runs";
  if (!remark.empty() && !request.continue_on_error) return respond(with<Worlds::Response>(failed(remark)));
  ask_for_world<Worlds::Response>(here, respond, [respond, remark, filter = request.filter](const Json& world) {
    auto out = with<Worlds::Response>(done(remark));
    sim::WorldResource one = resource_of(world);
    if (has_tags(one.tags, filter)) out.worlds.push_back(std::move(one));
    respond(out);
  });
}

template <class ServiceT>
void refuse(DoorHere&, const typename ServiceT::Request&, const typename Served<ServiceT>::Respond& respond) {
  respond(with<typename ServiceT::Response>(refused(SimResult::RESULT_FEATURE_UNSUPPORTED, kOneWorld)));
}

}  // namespace

SimulationWorlds::SimulationWorlds(SimulationServices& services) {
  services.add<sim_srv::GetNamedPoses>("get_named_poses", tell_poses);
  services.add<sim_srv::GetNamedPoseBounds>("get_named_pose_bounds", tell_pose_bounds);
  services.add<sim_srv::GetCurrentWorld>("get_current_world", tell_current);
  services.add<sim_srv::GetAvailableWorlds>("get_available_worlds", tell_available);
  services.add<sim_srv::LoadWorld>("load_world", refuse<sim_srv::LoadWorld>);
  services.add<sim_srv::UnloadWorld>("unload_world", refuse<sim_srv::UnloadWorld>);
}

}  // namespace convoy::ros2
