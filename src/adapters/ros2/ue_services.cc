#include <fmt/format.h>

#include <cmath>
#include <ue_msgs/srv/attach.hpp>
#include <ue_msgs/srv/delete_entity.hpp>
#include <ue_msgs/srv/get_entity_state.hpp>
#include <ue_msgs/srv/set_entity_state.hpp>
#include <ue_msgs/srv/spawn_entities.hpp>
#include <ue_msgs/srv/spawn_entity.hpp>

#include "adapters/ros2/ask.h"
#include "adapters/ros2/client_services.h"
#include "adapters/ros2/served.h"
#include "messages/geometry.h"

namespace convoy::ros2 {

namespace {

namespace srv = ue_msgs::srv;
using ue_msgs::msg::EntityState;

constexpr const char* kNoFrame = "world";

bool finite(const EntityState& s) {
  const auto& [p, q] = std::tie(s.pose.position, s.pose.orientation);
  const auto& [v, w] = std::tie(s.twist.linear, s.twist.angular);
  for (const double x : {p.x, p.y, p.z, q.x, q.y, q.z, q.w, v.x, v.y, v.z, w.x, w.y, w.z})
    if (!std::isfinite(x)) return false;
  return true;
}

std::string frame_of(const std::string& frame) { return frame == kNoFrame ? std::string() : frame; }

// What is wrong with a state that is to be taken; empty: nothing.
std::string trouble(const EntityState& state) {
  if (state.name.empty()) return "entity name is empty";
  if (!finite(state)) return state.name + ": its state has numbers that are not finite";
  return {};
}

struct Wanted {
  std::string model, ns;
  const EntityState* state = nullptr;
  const std::vector<std::string>* tags = nullptr;
};
Json entity_of(const Wanted& wanted) {
  return {{"name", wanted.state->name},
          {"model", wanted.model},
          {"pose", json_of(ros::pose_of(wanted.state->pose))},
          {"frame_of_pose", frame_of(wanted.state->reference_frame)},
          {"ns", wanted.ns},
          {"tags", *wanted.tags}};
}

template <class Response>
Response with(bool success, std::string message) {
  Response out;
  out.success = success, out.status_message = std::move(message);
  return out;
}

void spawn(DoorHere& here, const srv::SpawnEntity::Request& request, const Served<srv::SpawnEntity>::Respond& respond) {
  using Response = srv::SpawnEntity::Response;
  if (const std::string wrong = trouble(request.state); !wrong.empty()) return respond(with<Response>(false, wrong));
  if (!here.fleet) return respond(with<Response>(false, kRunNotBegun));
  Json one = entity_of({request.xml, request.robot_namespace, &request.state, &request.tags});
  ask(here.control, *here.fleet, "spawn", {{"entities", Json::array({std::move(one)})}}, {},
      [respond, name = request.state.name](const Answer& answer) {
        const auto error = answer.error && answer.outcomes() == 0 ? answer.error : answer.outcome(0);
        respond(with<Response>(!error, error ? error->text : "Spawned entity named " + name));
      });
}

void spawn_many(DoorHere& here, const srv::SpawnEntities::Request& request,
                const Served<srv::SpawnEntities>::Respond& respond) {
  using Response = srv::SpawnEntities::Response;
  if (request.type.size() != request.state.size())
    return respond(with<Response>(false, fmt::format("{} types and {} states: they are of the same entities",
                                                     request.type.size(), request.state.size())));
  if (request.state.empty()) return respond(with<Response>(false, "nothing to spawn"));
  Json all = Json::array();
  std::vector<std::string> names;
  for (std::size_t i = 0; i < request.state.size(); ++i) {
    if (const std::string wrong = trouble(request.state[i]); !wrong.empty())
      return respond(with<Response>(false, wrong));
    all.push_back(entity_of({request.type[i], {}, &request.state[i], &request.tags}));
    names.push_back(request.state[i].name);
  }
  if (!here.fleet) return respond(with<Response>(false, kRunNotBegun));
  ask(here.control, *here.fleet, "spawn", {{"entities", std::move(all)}}, {},
      [respond, names = std::move(names)](const Answer& answer) {
        if (answer.error && answer.outcomes() == 0) return respond(with<Response>(false, answer.error->text));
        std::string text;
        bool success = true;
        for (std::size_t i = 0; i < names.size(); ++i) {
          const auto error = answer.outcome(i);
          success = success && !error;
          text += names[i] + ":" + (error ? error->text : "spawned") + ", ";
        }
        respond(with<Response>(success, text));
      });
}

void remove(DoorHere& here, const srv::DeleteEntity::Request& request,
            const Served<srv::DeleteEntity>::Respond& respond) {
  using Response = srv::DeleteEntity::Response;
  if (!here.fleet) return respond(with<Response>(false, kRunNotBegun));
  ask(here.control, *here.fleet, "delete_", {{"names", {request.name}}}, {},
      [respond, name = request.name](const Answer& answer) {
        respond(with<Response>(!answer.error, answer.error ? answer.error->text : "Deleted entity named " + name));
      });
}

void get_state(DoorHere& here, const srv::GetEntityState::Request& request,
               const Served<srv::GetEntityState>::Respond& respond) {
  if (!here.fleet) return respond(srv::GetEntityState::Response());
  ask(here.control, *here.fleet, "get", {{"name", request.name}, {"frame", frame_of(request.reference_frame)}}, {},
      [respond, request](const Answer& answer) {
        srv::GetEntityState::Response out;
        out.success = !answer.error;
        if (answer.error) return respond(out);
        out.state.name = request.name, out.state.reference_frame = request.reference_frame;
        out.state.pose = ros::message_of(pose_in(answer.reply));
        out.state.twist = ros::message_of(twist_in(answer.reply));
        respond(out);
      });
}

void set_state(DoorHere& here, const srv::SetEntityState::Request& request,
               const Served<srv::SetEntityState>::Respond& respond) {
  const auto refused = [&] {
    srv::SetEntityState::Response out;
    out.success = false;
    respond(out);
  };
  if (!trouble(request.state).empty() || !here.fleet) return refused();
  ask(here.control, *here.fleet, "set",
      {{"name", request.state.name},
       {"pose", json_of(ros::pose_of(request.state.pose))},
       {"twist", json_of(ros::twist_of(request.state.twist))},
       {"frame", frame_of(request.state.reference_frame)}},
      {}, [respond](const Answer& answer) {
        srv::SetEntityState::Response out;
        out.success = !answer.error;
        respond(out);
      });
}

// A switch, as in the parent: what is attached to it already is detached.
void attach(DoorHere& here, const srv::Attach::Request& request, const Served<srv::Attach>::Respond& respond) {
  const auto done = [respond](const Answer& answer) {
    srv::Attach::Response out;
    out.success = !answer.error;
    respond(out);
  };
  if (!here.fleet) return done({Error{}, Json::object()});
  const World& world = here.fleet->world();
  const Slot parent = world.find(request.name1), child = world.find(request.name2);
  if (parent == kNoSlot || child == kNoSlot) return done({Error{}, Json::object()});
  if (world.entity(child).parent == world.entity(parent).number)
    return ask(here.control, *here.fleet, "detach", {{"child", request.name2}}, {}, done);
  ask(here.control, *here.fleet, "attach", {{"parent", request.name1}, {"child", request.name2}}, {}, done);
}

}  // namespace

std::vector<std::unique_ptr<Service>> ue_services(DoorHere& here, Node& node) {
  std::vector<std::unique_ptr<Service>> out;
  Served<srv::SpawnEntity>::add(here, node, "SpawnEntity", spawn, out);
  Served<srv::SpawnEntities>::add(here, node, "SpawnEntities", spawn_many, out);
  Served<srv::DeleteEntity>::add(here, node, "DeleteEntity", remove, out);
  Served<srv::GetEntityState>::add(here, node, "GetEntityState", get_state, out);
  Served<srv::SetEntityState>::add(here, node, "SetEntityState", set_state, out);
  Served<srv::Attach>::add(here, node, "Attach", attach, out);
  return out;
}

}  // namespace convoy::ros2
