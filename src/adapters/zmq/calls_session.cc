// Calls about the clients and robots of the run, and about leases.
#include "adapters/zmq/articulation.h"
#include "adapters/zmq/operations.h"
#include "control/run_status.h"

namespace convoy::zmq {

namespace {

constexpr double kLongestTimeout = 3600, kUsualTimeout = 10;  // s

const char* mode_of(const control::ControlCore& control) { return control.stepping().horizon() ? "stepped" : "live"; }

// The endpoints of all clients that have some, our own first.
Json endpoints_of(const control::RunStatus& status, const std::string& doors, Json& mine) {
  Json others = Json::array(), out = Json::array();
  const Json own = Json::parse(doors, nullptr, false);
  for (const control::RunStatus::Host& host : status.hosts) {
    const Json theirs = Json::parse(host.doors, nullptr, false);
    if (!theirs.is_object()) continue;  // it has none
    Json one{{"host", host.name}};
    one.update(theirs);
    if (theirs == own) mine = one;
    else others.push_back(one);
  }
  if (!mine.is_null()) out.push_back(mine);
  for (Json& one : others) out.push_back(std::move(one));
  return out;
}

Json hello_reply(control::ControlCore& control, const CallsOptions& options, const std::string& id,
                 const control::Reached& reached) {
  const control::RunStatus status = control::read_status(reached.text);
  const Fleet& fleet = *reached.fleet;
  Json mine, articulations = Json::array();
  const Json endpoints = endpoints_of(status, options.doors, mine);
  for (const control::RobotEntry& robot : control.roster().all()) articulations.push_back(describe(robot));
  return {{"session_id", id},
          {"holder", control.sessions().holder(id)},
          {"convoy_version", options.version},
          {"urlab_version", options.version},
          {"mujoco_version", options.mujoco_version},
          {"mujoco_version_int", options.mujoco_version_int},
          {"manager_present", true},
          {"mode", mode_of(control)},
          {"paused", status.paused},
          {"lockstep", control.position().lockstep},
          {"tick", control.position().tick},
          {"run", control.position().run},
          {"time", time_of(control, fleet)},
          {"tick_ns", nanos(fleet.tick())},
          {"host", mine.is_null() ? "" : mine["host"]},
          {"endpoints", endpoints},
          {"articulations", articulations},
          {"entities", Json::object()}};
}

}  // namespace

void hello(Call& call) {
  double timeout = kUsualTimeout;
  if (const auto it = call.request.find("timeout"); it != call.request.end()) {
    if (!it->is_number() || !(it->get<double>() > 0 && it->get<double>() <= kLongestTimeout))
      return call.reply.refuse({"bad_value", "timeout is a number of seconds, at most 3600"});
    timeout = it->get<double>();
  }
  std::string holder;
  if (const auto it = call.request.find("name"); it != call.request.end()) {
    if (it->is_string()) holder = it->get<std::string>();
    if (!valid_holder(holder)) return call.reply.refuse({"bad_value", std::string("name: ") + kHolderRule});
  }
  const auto shown = read_shown(call);
  if (!shown && !call.control.sessions().full()) return call.reply.refuse(shown.error());
  const auto id =
      call.control.sessions().open(Duration(static_cast<std::int64_t>(timeout * 1e9)),
                                   shown ? shown->level : control::Level::kStandard, call.now, call.peer, holder);
  if (!id) return call.reply.refuse(in_words(id.error()));
  call.control.run_status(call.fleet, *id,
                          call.reply.once_reached([&control = call.control, &options = call.options, id = *id](
                                                      const Reply& reply, const control::Reached& reached) {
                            reply.ok(hello_reply(control, options, id, reached));
                          }));
}

void status(Call& call) {
  call.control.run_status(
      call.fleet, call.caller,
      call.reply.once_reached([&control = call.control](const Reply& reply, const control::Reached& reached) {
        const control::RunStatus run = control::read_status(reached.text);
        Json leases = Json::array();
        Json holders = Json::object();
        for (const auto& [number, holder] : control.leases().all())
          if (const Slot slot = reached.fleet->world().slot_of(number); slot != kNoSlot) {
            const std::string& robot = reached.fleet->world().entity(slot).name;
            leases.push_back(robot), holders[robot] = holder;
          }
        reply.ok({{"mode", mode_of(control)},
                  {"paused", run.paused},
                  {"speed", run.speed},
                  {"tick", control.position().tick},
                  {"run", control.position().run},
                  {"time", time_of(control, *reached.fleet)},
                  {"sessions", control.sessions().size()},
                  {"leases", leases},
                  {"holders", holders}});
      }));
}

void bye(Call& call) {
  call.reply.ok(Json::object());
  call.control.end(call.caller);
}

namespace {

Json leased_by(const control::ControlCore& control, const control::SessionId& session) {
  Json names = Json::array(), layout = Json::array();
  for (WorldNumber number : control.leases().of(session)) {
    const control::RobotEntry* robot = control.roster().find(number);
    if (!robot) continue;
    const Panel& p = robot->panel;
    names.push_back(robot->name);
    layout.push_back({{"name", robot->name},
                      {"nq", p.nq},
                      {"nv", p.nv},
                      {"nu", p.actuators.size()},
                      {"na", p.na},
                      {"nsensordata", p.nsensordata}});
  }
  return {{"articulations", names}, {"layout", layout}};
}

}  // namespace

void lease(Call& call) {
  std::vector<WorldNumber> wanted;
  if (field_of(call.request, "articulations")) {
    auto names = named(call, "articulations", For::kCommanding);
    if (!names) return call.reply.refuse(names.error());
    wanted = std::move(*names);
  } else {
    for (const control::RobotEntry& robot : call.control.roster().all()) {
      if (const auto ok = call.control.leases().check(robot, call.caller); !ok)
        return call.reply.refuse(in_words(ok.error()));
      wanted.push_back(robot.number);
    }
  }
  call.control.lease(call.fleet, {call.caller, true, std::move(wanted)},
                     call.reply.once_reached(
                         [&control = call.control, caller = call.caller](const Reply& reply, const control::Reached&) {
                           reply.ok(leased_by(control, caller));
                         }));
}

void release(Call& call) {
  std::vector<WorldNumber> given = call.control.leases().of(call.caller);
  if (field_of(call.request, "articulations")) {
    const auto names = named(call, "articulations", For::kReading);
    if (!names) return call.reply.refuse(names.error());
    given = *names;
  }
  Json names = Json::array();
  const std::string& holder = call.control.sessions().holder(call.caller);
  for (WorldNumber number : given)
    if (call.control.leases().holder(number) == holder)
      if (const control::RobotEntry* robot = call.control.roster().find(number)) names.push_back(robot->name);
  call.control.lease(call.fleet, {call.caller, false, std::move(given)},
                     call.reply.once_reached([names](const Reply& reply, const control::Reached&) {
                       reply.ok({{"articulations", names}});
                     }));
}

}  // namespace convoy::zmq
