#include "adapters/zmq/calls.h"

#include <algorithm>

#include "adapters/zmq/operations.h"

namespace convoy::zmq {

const std::vector<Operation>& operations() {
  const char* shown = "time, tick, step, frame_id, run, sim_time, wall_time, per_articulation or obs, cameras";
  static const std::vector<Operation> all{
      {"hello", "session", Access::kView, "",
       "session_id, mode, paused, lockstep, tick, run, time, tick_ns, host, endpoints, articulations", false, &hello},
      {"meta", "session", Access::kView, "", "ops, error_codes", false, nullptr},
      {"status", "session", Access::kView, "", "mode, paused, speed, tick, run, time, sessions, leases", false,
       &status},
      {"bye", "session", Access::kView, "", "", true, &bye},
      {"lease", "session", Access::kDrive, "", "articulations, layout", true, &lease},
      {"release", "session", Access::kDrive, "", "articulations", true, &release},
      {"set_mode", "time", Access::kEdit, "mode", "previous_mode, current_mode, tick, run, time", true, &set_mode},
      {"set_paused", "time", Access::kEdit, "paused", "paused, tick", false, &set_paused},
      {"set_sim_speed", "time", Access::kEdit, "percent", "percent", false, &set_sim_speed},
      {"step", "time", Access::kEdit, "n_steps or ticks", shown, true, &step},
      {"reset", "state", Access::kEdit, "", shown, true, &reset},
      {"get_state", "state", Access::kView, "", "per_articulation with state, tick, run, time", false, &get_state},
      {"set_state", "state", Access::kEdit, "articulation, state or qpos or qvel", "tick", true, &set_state},
      {"apply_force", "state", Access::kEdit, "articulation, force or torque, duration", "tick", true, &apply_force},
      {"set_option", "state", Access::kEdit, "articulation, option, value", "tick", true, &set_option},
      {"get_contacts", "state", Access::kView, "articulation", "contacts, named_only, cut, tick, run, time", false,
       &get_contacts},
      {"get_sensor", "state", Access::kView, "articulation",
       "sensors, or sensor, type, message, period, index, stamp_ns, data", false, &get_sensor},
      {"set_sensor", "command", Access::kEdit, "articulation, sensor, fields", "", false, &set_sensor},
      {"set_camera_streaming", "command", Access::kDrive, "cameras", "cameras", false, &set_camera_streaming},
      {"set_twist", "command", Access::kDrive, "articulation, linear, angular", "", false, &set_twist},
      {"set_actions", "command", Access::kDrive, "articulation, actions", "", false, &set_actions},
      {"set_control_source", "command", Access::kDrive, "source", "source", false, &set_control_source},
      {"set_gains", "command", Access::kDrive, "articulation, gains", "", false, &set_gains},
      {"list_keyframes", "model", Access::kView, "articulation", "keyframes", false, &list_keyframes},
      {"spawn", "world", Access::kEdit, "entities", "entities, tick", false, &spawn},
      {"delete", "world", Access::kEdit, "entities", "tick", false, &remove},
      {"attach", "world", Access::kEdit, "parent, child", "tick", false, &attach},
      {"detach", "world", Access::kEdit, "child", "tick", false, &detach},
      {"set_tags", "world", Access::kEdit, "entity, tags", "tick", false, &set_tags},
      {"set_entity", "world", Access::kEdit, "entity, position or velocity", "tick", false, &set_entity},
      {"get_entity", "world", Access::kView, "entity", "position, orientation, velocity, turn_rate, details, tick",
       false, &get_entity},
      {"list_entities", "world", Access::kView, "", "entities, tick", false, &list_entities},
      {"list_elements", "world", Access::kView, "", "elements", false, &list_elements},
      {"get_world", "world", Access::kView, "",
       "name, seed, tick, now, run, mode, map, environment, models, places, cut", false, &get_world},
      {"draw", "world", Access::kDrive, "drawings", "tick", false, &draw},
      {"erase", "world", Access::kDrive, "drawings or all", "tick", false, &erase},
      {"list_drawings", "world", Access::kView, "", "revision, drawings", false, &list_drawings},
      {"list_models", "world", Access::kView, "", "models", false, &list_models},
      {"set_environment", "world", Access::kEdit, "", "tick", false, &set_environment},
  };
  return all;
}

namespace {

Json meta() {
  Json ops = Json::array();
  for (const Operation& one : operations())
    ops.push_back({{"name", one.name},
                   {"category", one.category},
                   {"role", name_of(one.needs)},
                   {"required_fields", one.required},
                   {"reply_fields", one.returns}});
  return {{"ops", ops}, {"error_codes", error_codes()}};
}

}  // namespace

void Calls::at_boundary(const Fleet& fleet, Moment now) {
  for (const auto& go_on : std::exchange(waiting_, {})) go_on(fleet, now);
}

void Calls::take(Peer peer, ByteView bytes, const Fleet* fleet, Moment now) {
  const Encoding encoding = encoding_of(bytes);
  const std::string connection = peer.empty() ? "" : std::string(as_text(peer.front()));
  Peer asker = peer;
  Reply reply(std::move(peer), encoding, answers_);
  if (bytes.size() > kMaxRequestBytes) return reply.refuse({"too_large", "a request has at most 1 MiB"});
  const auto request = decode(bytes, encoding);
  if (!request) return reply.refuse({"bad_encoding", "a request is one map, in msgpack or JSON, not too deep"});
  if (!request->is_object()) return reply.refuse({"bad_request", "a request is a map"});
  const auto op = request->find("op");
  if (op == request->end() || !op->is_string()) return reply.refuse({"missing_op", "a request has an op"});
  reply.set_op(op->get<std::string>());
  const auto& all = operations();
  const auto known = std::find_if(all.begin(), all.end(), [&](const Operation& o) { return *op == o.name; });
  if (known == all.end()) return reply.refuse({"unknown_op", "meta lists what there is"});
  const bool is_meta = known->carry_out == nullptr;
  if (!fleet && !is_meta) return reply.refuse({"not_ready", "the run has not begun"});
  if (options_.role < known->needs)
    return reply.refuse({"denied", std::string("this needs the role ") + name_of(known->needs) +
                                       ", and these doors have " + name_of(options_.role)});
  if (control_.full()) return reply.refuse({"not_ready", "too many calls wait already"});

  std::string caller;
  control::Level level = control::Level::kStandard;
  if (const auto id = request->find("session_id"); id != request->end() && id->is_string()) {
    caller = id->get<std::string>();
    if (!control_.sessions().hear(caller, now))
      return reply.refuse({"session_expired", "there is no such session, or no longer"});
    level = control_.sessions().find(caller)->level;
  } else if (known->with_session) {
    return reply.refuse({"no_session", std::string(known->name) + " needs the session_id of a hello"});
  }
  if (is_meta) return reply.ok(meta());
  // Within a tick what robots feel and sense cannot be told.
  if (fleet->ahead() && (known->carry_out == &get_contacts || known->carry_out == &get_sensor)) {
    if (waiting_.size() >= kMaxWaiting) return reply.refuse({"not_ready", "too many calls wait already"});
    return waiting_.push_back([this, asker = std::move(asker), again = Bytes(bytes.begin(), bytes.end())](
                                  const Fleet& then, Moment at) { take(asker, again, &then, at); });
  }
  control_.follow(*fleet, now);
  Call call{*request, *fleet, control_, options_, waiting_, reply, now, connection, caller, level};
  known->carry_out(call);
}

}  // namespace convoy::zmq
