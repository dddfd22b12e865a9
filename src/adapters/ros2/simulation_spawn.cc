#include "adapters/ros2/simulation_spawn.h"

#include <simulation_interfaces/srv/get_spawnables.hpp>
#include <simulation_interfaces/srv/spawn_entities.hpp>
#include <simulation_interfaces/srv/spawn_entity.hpp>

#include "adapters/ros2/bounds.h"
#include "adapters/ros2/names.h"
#include "adapters/ros2/old_hashes.h"
#include "adapters/ros2/spawn_order.h"
#include "record/foxglove/cdr.h"
#include "world/world_model.h"

namespace convoy::ros2 {

namespace {

namespace sim = simulation_interfaces::msg;
namespace sim_srv = simulation_interfaces::srv;

using SpawnOne = Served<sim_srv::SpawnEntity>;
using SpawnMany = Served<sim_srv::SpawnEntities>;

void make_one(DoorHere& here, BroughtModels& models, const SpawnOne::Request& request,
              const SpawnOne::Respond& respond) {
  SpawnOrder::Wish wish;
  wish.name = request.name, wish.allow_renaming = request.allow_renaming;
  wish.entity_resource = request.entity_resource, wish.entity_namespace = request.entity_namespace;
  wish.initial_pose = request.initial_pose;
  SpawnOrder::begin(here, models, {wish}, [respond](const std::vector<sim::SpawnResult>& results) {
    auto out = with<SpawnOne::Response>(results[0].result);
    out.entity_name = results[0].entity_name;
    respond(out);
  });
}

void make_many(DoorHere& here, BroughtModels& models, const SpawnMany::Request& request,
               const SpawnMany::Respond& respond) {
  if (request.spawn_requests.size() > kMaxSpawned)
    return respond(with<SpawnMany::Response>(failed("at most 10000 entities in one request")));
  SpawnOrder::begin(here, models, request.spawn_requests, [respond](const std::vector<sim::SpawnResult>& results) {
    std::size_t missing = 0;
    for (const sim::SpawnResult& one : results) missing += one.result.result != SimResult::RESULT_OK;
    const std::string why = std::to_string(missing) + " of " + std::to_string(results.size()) + " were not spawned";
    auto out =
        with<SpawnMany::Response>(missing == 0 ? done() : refused(SpawnMany::Response::ENTITIES_SPAWN_FAILED, why));
    out.results = results;
    respond(out);
  });
}

// -------------------------------------------------------------------------------------------------- spawnables

using GetSpawnables = Served<sim_srv::GetSpawnables>;

GetSpawnables::Response spawnables(const DoorHere& here, const GetSpawnables::Request& request) {
  if (!here.fleet) return with<GetSpawnables::Response>(not_begun());
  for (const std::string& source : request.sources)
    if (!source.empty() && !std::string(kModelUri).starts_with(source))
      return with<GetSpawnables::Response>(refused(
          SimResult::RESULT_NOT_FOUND, "no source '" + source.substr(0, 140) + "': there is " + kModelUri + " alone"));
  auto out = with<GetSpawnables::Response>(done());
  for (const auto& model : here.fleet->world().models()) {
    if (model->name == kWorldModel || model->name == kWorldObjects || model->name == kProgramModel) continue;
    sim::Spawnable& one = out.spawnables.emplace_back();
    one.entity_resource.uri = kModelUri + model->name;
    one.description = model->name;
    one.spawn_bounds = message_of(body_of(*model));
  }
  return out;
}

// In 1.x each has a URI and no text behind it.
Bytes as_old(const GetSpawnables::Response& response) {
  Bytes out;
  Cdr cdr(out);
  cdr.number(response.result.result), cdr.text(response.result.error_message);
  cdr.number(static_cast<std::uint32_t>(response.spawnables.size()));
  for (const sim::Spawnable& one : response.spawnables) {
    cdr.text(one.entity_resource.uri), cdr.text(one.description);
    cdr.number(one.spawn_bounds.type);
    cdr.number(static_cast<std::uint32_t>(one.spawn_bounds.points.size()));
    for (const auto& p : one.spawn_bounds.points)
      for (const double x : {p.x, p.y, p.z}) cdr.number(x);
  }
  return out;
}

// Which of the two its reader of replies has; where it does not say, what the settings say.
bool wants_old(const DoorHere& here, const RawRequest& raw) {
  const RemoteGraph& graph = here.domain.graph();
  const ReplyTo& from = raw.asked.from;
  auto reader = from.reader == kNoGuid ? std::nullopt : std::optional(from.reader);
  if (!reader || graph.type_hash(*reader).empty())
    if (const auto found = graph.reply_reader(from.client, dds_reply(raw.service.name()))) reader = found;
  const std::string_view hash = reader ? graph.type_hash(*reader) : std::string_view();
  if (hash.empty()) return !here.settings.two_x;
  return is_old(ros::TypeSupport::of<GetSpawnables::Response>().name(), hash);
}

void tell_spawnables(DoorHere& here, const RawRequest& raw) {
  const auto request = message_in<GetSpawnables::Request>(here.domain, raw.asked.cdr);
  if (!request) return;
  const GetSpawnables::Response response = spawnables(here, *request);
  if (wants_old(here, raw)) raw.respond(as_old(response));
  else GetSpawnables::responding(raw)(response);
}

}  // namespace

SimulationSpawn::SimulationSpawn(SimulationServices& services) : models_(services.here()) {
  services.add<sim_srv::SpawnEntity>("spawn_entity", [this](DoorHere& here, const auto& request, const auto& respond) {
    make_one(here, models_, request, respond);
  });
  services.add<sim_srv::SpawnEntities>(
      "spawn_entities",
      [this](DoorHere& here, const auto& request, const auto& respond) { make_many(here, models_, request, respond); });
  services.add_raw<sim_srv::GetSpawnables>("get_spawnables", tell_spawnables);
}

}  // namespace convoy::ros2
