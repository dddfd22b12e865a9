#include "adapters/ros2/simulation_entities.h"

#include <algorithm>
#include <cmath>
#include <simulation_interfaces/srv/delete_entity.hpp>
#include <simulation_interfaces/srv/get_entities.hpp>
#include <simulation_interfaces/srv/get_entities_states.hpp>
#include <simulation_interfaces/srv/get_entity_bounds.hpp>
#include <simulation_interfaces/srv/get_entity_info.hpp>
#include <simulation_interfaces/srv/get_entity_state.hpp>
#include <simulation_interfaces/srv/set_entity_info.hpp>
#include <simulation_interfaces/srv/set_entity_state.hpp>

#include "adapters/ros2/ask.h"
#include "adapters/ros2/old_hashes.h"
#include "messages/geometry.h"
#include "world/spec_check.h"

namespace convoy::ros2 {

namespace {

namespace sim = simulation_interfaces::msg;
namespace sim_srv = simulation_interfaces::srv;

constexpr std::size_t kCdrHeader = 4;

SimResult unknown(const std::string& entity) {
  return refused(SimResult::RESULT_NOT_FOUND, "unknown entity '" + entity.substr(0, 140) + "'");
}

builtin_interfaces::msg::Time stamp_at(const Fleet& fleet, Tick tick) {
  return ros::stamp_of(instant(tick * nanos(fleet.tick())) + clock_start(fleet));
}

sim::EntityState state_in_world(const Pose& pose, const Twist& twist, const builtin_interfaces::msg::Time& stamp) {
  sim::EntityState out;
  out.header.stamp = stamp, out.header.frame_id = kWorldFrame;
  out.pose = ros::message_of(pose), out.twist = ros::message_of(twist);
  return out;
}

// Those that the filters let through, or why these are none.
template <class Response>
std::vector<Slot> choose(const DoorHere& here, const sim::EntityFilters& filters, EntityCategories& categories,
                         Response& out) {
  std::vector<Slot> slots;
  if (!here.fleet) return out.result = not_begun(), slots;
  const auto selection = EntitySelection::make(filters);
  if (!selection) {
    out.result = refused(selection.error().code == ErrorCode::kUnsupported ? SimResult::RESULT_FEATURE_UNSUPPORTED
                                                                           : SimResult::RESULT_OPERATION_FAILED,
                         selection.error().text);
    return slots;
  }
  out.result = done();
  const World& world = here.fleet->world();
  for (const Slot slot : SlotRange(world.entities().size())) {
    if (!selection->passes(world, slot, categories)) continue;
    slots.push_back(slot);
    out.entities.push_back(world.entity(slot).name);
  }
  return slots;
}

// ------------------------------------------------------------------------------------------------------ states

using GetStates = Served<sim_srv::GetEntitiesStates>;
using GetState = Served<sim_srv::GetEntityState>;
using SetState = Served<sim_srv::SetEntityState>;

void tell_states(DoorHere& here, const GetStates::Request& request, const GetStates::Respond& respond,
                 EntityCategories& categories) {
  GetStates::Response out;
  const std::vector<Slot> slots = choose(here, request.filters, categories, out);
  for (const Slot slot : slots) {
    const State& state = here.fleet->world().snapshot().state(slot);
    out.states.push_back(state_in_world(state.pose, state.twist, stamp_at(*here.fleet, here.control.position().tick)));
  }
  respond(out);
}

void tell_state(DoorHere& here, const GetState::Request& request, const GetState::Respond& respond) {
  if (!here.fleet) return respond(with<GetState::Response>(not_begun()));
  ask(here.control, *here.fleet, "get", {{"name", request.entity}}, {}, [&here, respond](const Answer& answer) {
    auto out = with<GetState::Response>(result_of(answer.error));
    if (!answer.error && here.fleet)
      out.state = state_in_world(pose_in(answer.reply), twist_in(answer.reply), stamp_at(*here.fleet, answer.tick()));
    respond(out);
  });
}

bool still(const Twist& v) { return v == Twist{}; }

// What is made of it and does not move by itself.
bool is_static(const Model& model) { return model.drive == Drive::kNone && model.files.empty() && !model.engine.any(); }

// What is wrong with it; nothing: it can be asked for.
std::optional<SimResult> why_not(const World& world, const SetState::Request& request) {
  const sim::EntityState& state = request.state;
  const Slot slot = world.find(request.entity);
  if (slot == kNoSlot) return unknown(request.entity);
  if (const std::string& frame = state.header.frame_id; !is_world_frame(frame) && world.find(frame) == kNoSlot)
    return refused(SimResult::RESULT_NOT_FOUND, "unknown frame '" + frame.substr(0, 140) + "'");
  if (request.set_pose)
    if (const auto ok = check_pose(ros::pose_of(state.pose)); !ok)
      return refused(SetState::Response::INVALID_POSE, ok.error().message());
  const Twist twist = ros::twist_of(state.twist);
  if (request.set_twist && !(is_finite(twist.v) && is_finite(twist.w)))
    return failed("the twist holds NaN or infinity");
  if (request.set_twist && !still(twist) && is_static(world.model_of(slot)))
    return failed("'" + request.entity + "' is a thing that does not move: it has no twist");
  if (request.set_acceleration && !request.set_pose && !request.set_twist)
    return failed("an acceleration cannot be set: forces make it");
  return std::nullopt;
}

void change_state(DoorHere& here, const SetState::Request& request, const SetState::Respond& respond) {
  using Response = SetState::Response;
  if (!here.fleet) return respond(with<Response>(not_begun()));
  if (const auto wrong = why_not(here.fleet->world(), request)) return respond(with<Response>(*wrong));
  if (!request.set_pose && !request.set_twist) return respond(with<Response>(done("nothing was to be set")));
  Json call{{"name", request.entity}, {"frame", frame_in_call(request.state.header.frame_id)}};
  if (request.set_pose) call["pose"] = json_of(ros::pose_of(request.state.pose));
  if (request.set_twist) call["twist"] = json_of(ros::twist_of(request.state.twist));
  const std::string remark = request.set_acceleration ? "the acceleration was left out: forces make it" : "";
  ask(here.control, *here.fleet, "set", std::move(call), {}, [respond, remark](const Answer& answer) {
    respond(with<Response>(answer.error ? result_of(answer.error) : done(remark)));
  });
}

// That of 1.x ends behind the state, and means pose and twist.
void take_change(DoorHere& here, const RawRequest& raw) {
  const auto type = ros::TypeSupport::of<SetState::Request>();
  SetState::Request request;
  const bool old = is_old(type.name(), raw.asked.type_hash);
  if (!old && type.from_cdr(raw.asked.cdr, &request, ros::Rest::kIgnored))
    return change_state(here, request, SetState::responding(raw));
  Bytes longer = raw.asked.cdr;
  // It ends on a double.
  const bool may_be_old = (old || raw.asked.type_hash.empty()) && longer.size() % sizeof(double) == kCdrHeader;
  longer.insert(longer.end(), {1, 1, 0});
  if (!may_be_old || !type.from_cdr(longer, &request, ros::Rest::kIgnored)) {
    ++here.domain.counts().malformed;
    return;
  }
  request.set_pose = request.set_twist = true, request.set_acceleration = false;
  change_state(here, request, SetState::responding(raw));
}

// ------------------------------------------------------------------------------------------- what else they are

using GetInfo = Served<sim_srv::GetEntityInfo>;
using SetInfo = Served<sim_srv::SetEntityInfo>;
using GetBounds = Served<sim_srv::GetEntityBounds>;
using Delete = Served<sim_srv::DeleteEntity>;

sim::EntityInfo info_of(const World& world, const Entity& entity, EntityCategories& categories) {
  sim::EntityInfo out;
  out.category.category = categories.of(world, entity);
  out.description = "model " + entity.kind->model;
  out.tags = entity.kind->tags;
  return out;
}

void tell_info(DoorHere& here, const GetInfo::Request& request, const GetInfo::Respond& respond,
               EntityCategories& categories) {
  if (!here.fleet) return respond(with<GetInfo::Response>(not_begun()));
  const World& world = here.fleet->world();
  const Slot slot = world.find(request.entity);
  if (slot == kNoSlot) return respond(with<GetInfo::Response>(unknown(request.entity)));
  auto out = with<GetInfo::Response>(done());
  out.info = info_of(world, world.entity(slot), categories);
  respond(out);
}

// Category and description are the model's: who sends them as they are changes the tags alone.
void change_info(DoorHere& here, const SetInfo::Request& request, const SetInfo::Respond& respond,
                 EntityCategories& categories) {
  using Response = SetInfo::Response;
  if (!here.fleet) return respond(with<Response>(not_begun()));
  const World& world = here.fleet->world();
  const Slot slot = world.find(request.entity);
  if (slot == kNoSlot) return respond(with<Response>(unknown(request.entity)));
  const sim::EntityInfo now = info_of(world, world.entity(slot), categories);
  if (request.info.category != now.category)
    return respond(with<Response>(failed("the category is its model's, and cannot be set")));
  if (!request.info.description.empty() && request.info.description != now.description)
    return respond(with<Response>(failed("the description is its model's, and cannot be set; leave it empty")));
  ask(here.control, *here.fleet, "set_tags", {{"name", request.entity}, {"tags", request.info.tags}}, {},
      [respond](const Answer& answer) { respond(with<Response>(result_of(answer.error))); });
}

void tell_bounds(DoorHere& here, const GetBounds::Request& request, const GetBounds::Respond& respond) {
  if (!here.fleet) return respond(with<GetBounds::Response>(not_begun()));
  const World& world = here.fleet->world();
  const Slot slot = world.find(request.entity);
  if (slot == kNoSlot) return respond(with<GetBounds::Response>(unknown(request.entity)));
  auto out = with<GetBounds::Response>(done());
  out.bounds = message_of(body_of(world.model_of(slot)));
  respond(out);
}

void delete_entity(DoorHere& here, const Delete::Request& request, const Delete::Respond& respond) {
  if (!here.fleet) return respond(with<Delete::Response>(not_begun()));
  if (request.entity.empty()) return respond(with<Delete::Response>(unknown(request.entity)));
  ask(here.control, *here.fleet, "delete_", {{"names", {request.entity}}}, {},
      [respond](const Answer& answer) { respond(with<Delete::Response>(result_of(answer.error))); });
}

}  // namespace

bool is_world_frame(const std::string& frame) { return frame.empty() || frame == kWorldFrame || frame == "map"; }
std::string frame_in_call(const std::string& frame) { return is_world_frame(frame) ? std::string() : frame; }

SimulationEntities::SimulationEntities(SimulationServices& services) {
  services.add<sim_srv::GetEntities>("get_entities", [this](DoorHere& here, const auto& request, const auto& respond) {
    sim_srv::GetEntities::Response out;
    (void)choose(here, request.filters, categories_, out);
    respond(out);
  });
  services.add<sim_srv::GetEntitiesStates>("get_entities_states",
                                           [this](DoorHere& here, const auto& request, const auto& respond) {
                                             tell_states(here, request, respond, categories_);
                                           });
  services.add<sim_srv::GetEntityState>("get_entity_state", tell_state);
  services.add_raw<sim_srv::SetEntityState>("set_entity_state", take_change);
  services.add<sim_srv::GetEntityInfo>("get_entity_info",
                                       [this](DoorHere& here, const auto& request, const auto& respond) {
                                         tell_info(here, request, respond, categories_);
                                       });
  services.add<sim_srv::SetEntityInfo>("set_entity_info",
                                       [this](DoorHere& here, const auto& request, const auto& respond) {
                                         change_info(here, request, respond, categories_);
                                       });
  services.add<sim_srv::GetEntityBounds>("get_entity_bounds", tell_bounds);
  services.add<sim_srv::DeleteEntity>("delete_entity", delete_entity);
}

}  // namespace convoy::ros2
