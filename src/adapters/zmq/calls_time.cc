// Calls about the whole run: sessions, modes, steps.
#include <cmath>

#include <fmt/format.h>

#include "adapters/zmq/calls.h"

namespace convoy::zmq {

namespace {

constexpr double kLongestTimeout = 3600, kUsualTimeout = 10;  // s

struct Clock {
  std::int64_t sec = 0, nsec = 0;
  Json json() const { return {{"sec", sec}, {"nsec", nsec}}; }
};

}  // namespace

const std::vector<std::string>& error_codes() {
  static const std::vector<std::string> all{"bad_encoding",      "bad_mode",
                                            "bad_request",       "bad_value",
                                            "dim_mismatch",      "leased",
                                            "missing_field",     "missing_op",
                                            "no_session",        "no_twist_controller",
                                            "not_ready",         "paused",
                                            "session_expired",   "step_timeout",
                                            "too_many_sessions", "unknown_articulation",
                                            "unknown_keyframe",  "unknown_op",
                                            "was_reset",         "wrong_host"};
  return all;
}

const std::vector<Calls::Operation>& Calls::operations() {
  const char* shown = "time, tick, step, frame_id, run, sim_time, wall_time, per_articulation or obs";
  static const std::vector<Operation> all{
      {"hello", "session", "",
       "session_id, mode, paused, lockstep, tick, run, time, tick_ns, host, endpoints, articulations", false,
       &Calls::hello},
      {"meta", "session", "", "ops, error_codes", false, &Calls::meta},
      {"status", "session", "", "mode, paused, speed, tick, run, time, sessions, leases", false, &Calls::status},
      {"bye", "session", "", "", true, &Calls::bye},
      {"lease", "session", "", "articulations, layout", true, &Calls::lease},
      {"release", "session", "", "articulations", true, &Calls::release},
      {"set_mode", "time", "mode", "previous_mode, current_mode, tick, run, time", true, &Calls::set_mode},
      {"set_paused", "time", "paused", "paused, tick", false, &Calls::set_paused},
      {"set_sim_speed", "time", "percent", "percent", false, &Calls::set_sim_speed},
      {"step", "time", "n_steps or ticks", shown, true, &Calls::step},
      {"reset", "state", "", shown, true, &Calls::reset},
      {"get_state", "state", "", "per_articulation with state, tick, run, time", false, &Calls::get_state},
      {"set_state", "state", "articulation, state or qpos or qvel", "tick", true, &Calls::set_state},
      {"set_twist", "command", "articulation, linear, angular", "", false, &Calls::set_twist},
      {"set_actions", "command", "articulation, actions", "", false, &Calls::set_actions},
      {"set_control_source", "command", "source", "source", false, &Calls::set_control_source},
      {"set_gains", "command", "articulation, gains", "", false, &Calls::set_gains},
      {"list_keyframes", "model", "articulation", "keyframes", false, &Calls::list_keyframes},
  };
  return all;
}

// ---------------------------------------------------------------------------------------------------- sessions

void Calls::meta(Call&) {}  // take() answers

void Calls::hello(Call& call) {
  Session made;
  double timeout = kUsualTimeout;
  if (const auto it = call.request.find("timeout"); it != call.request.end()) {
    if (!it->is_number() || !(it->get<double>() > 0 && it->get<double>() <= kLongestTimeout))
      return refuse_open(call.open, {"bad_value", "timeout is a number of seconds, at most 3600"});
    timeout = it->get<double>();
  }
  if (sessions_.size() >= kMaxSessions)
    return refuse_open(call.open, {"too_many_sessions", "1000 sessions are open already"});
  const auto shown = read_shown(call);
  if (!shown) return refuse_open(call.open, shown.error());
  made.heard = now_, made.timeout = Duration(static_cast<std::int64_t>(timeout * 1e9)), made.level = shown->level;
  const std::string id = fmt::format("{:x}-{}", options_.nonce, ++sessions_made_);
  sessions_.emplace(id, made);
  call.open.session = id;
  ask(call.open, {0, GatewayWish::Kind::kLook, {}, 0, options_.doors});
  call.open.then = [this, id](const Fleet& fleet, Open& open) {
    reply(open, hello_reply(fleet, id, Json::parse(open.text, nullptr, false)));
  };
}

Json Calls::hello_reply(const Fleet& fleet, const std::string& id, const Json& look) const {
  Json mine, others = Json::array();
  const Json own = Json::parse(options_.doors, nullptr, false);
  if (look.is_object() && look.contains("hosts"))
    for (const Json& host : look["hosts"]) {
      Json doors = Json::parse(host.value("doors", ""), nullptr, false);
      if (!doors.is_object()) continue;  // it has none
      Json one{{"host", host.value("name", "")}};
      one.update(doors);
      if (doors == own) mine = one;
      else others.push_back(one);
    }
  Json endpoints = Json::array();
  if (!mine.is_null()) endpoints.push_back(mine);
  for (Json& one : others) endpoints.push_back(std::move(one));
  Json articulations = Json::array();
  for (const Robots::Robot& robot : robots_.all()) articulations.push_back(robots_.describe(robot));
  const bool paused = look.is_object() && look.value("paused", false);
  return {{"session_id", id},
          {"convoy_version", options_.version},
          {"urlab_version", options_.version},
          {"mujoco_version", options_.mujoco_version},
          {"mujoco_version_int", options_.mujoco_version_int},
          {"manager_present", true},
          {"mode", horizon() ? "stepped" : "live"},
          {"paused", paused},
          {"lockstep", stands_.lockstep},
          {"tick", stands_.tick},
          {"run", stands_.run},
          {"time", seconds(instant(stands_.tick * nanos(fleet.tick())))},
          {"tick_ns", nanos(fleet.tick())},
          {"host", mine.is_null() ? "" : mine["host"]},
          {"endpoints", endpoints},
          {"articulations", articulations},
          {"entities", Json::object()}};
}

void Calls::status(Call& call) {
  ask(call.open, {0, GatewayWish::Kind::kLook, {}, 0, options_.doors});
  call.open.then = [this](const Fleet& fleet, Open& open) {
    const Json look = Json::parse(open.text, nullptr, false);
    Json leases = Json::array();
    for (const auto& [number, id] : owners_)
      if (const Robots::Robot* robot = robots_.find(number)) leases.push_back(robot->name);
    reply(open, {{"mode", horizon() ? "stepped" : "live"},
                 {"paused", look.is_object() && look.value("paused", false)},
                 {"speed", look.is_object() ? look.value("speed", 0.0) : 0.0},
                 {"tick", stands_.tick},
                 {"run", stands_.run},
                 {"time", seconds(instant(stands_.tick * nanos(fleet.tick())))},
                 {"sessions", sessions_.size()},
                 {"leases", leases}});
  };
}

void Calls::bye(Call& call) {
  reply(call.open, Json::object());
  end(call.open.session);
}

// -------------------------------------------------------------------------------------------------------- time

void Calls::set_mode(Call& call) {
  const auto it = call.request.find("mode");
  if (it == call.request.end() || !it->is_string())
    return refuse_open(call.open, {"missing_field", "mode is stepped or live"});
  const std::string mode = it->get<std::string>();
  const bool stepped = mode == "stepped" || mode == "direct";
  if (!stepped && mode != "live" && mode != "freerun")
    return refuse_open(call.open, {"bad_mode", "mode is stepped or live"});
  if (stepped && !stands_.lockstep)
    return refuse_open(call.open,
                       {"bad_mode", "time in free mode goes on by itself; run the scenario in lockstep to step it"});
  Session& session = *call.session;
  const std::string previous = session.target ? "stepped" : "live";
  if (!stepped) {
    session.target.reset();
    session.entering = false;
  } else if (!session.target) {
    const auto held = horizon();
    session.entering = !held;
    session.target = held.value_or(stands_.tick);
    if (held) call.open.until = std::max(*held, stands_.tick);
    else call.open.asked.insert(0);  // held_at() is the answer
  }
  call.open.then = [this, previous, stepped](const Fleet& fleet, Open& open) {
    reply(open, {{"previous_mode", previous},
                 {"current_mode", stepped ? "stepped" : "live"},
                 {"tick", stands_.tick},
                 {"run", stands_.run},
                 {"time", seconds(instant(stands_.tick * nanos(fleet.tick())))}});
  };
}

void Calls::set_paused(Call& call) {
  const auto it = call.request.find("paused");
  if (it == call.request.end() || !it->is_boolean())
    return refuse_open(call.open, {"missing_field", "paused is true or false"});
  const bool paused = it->get<bool>();
  ask(call.open, {0, paused ? GatewayWish::Kind::kPause : GatewayWish::Kind::kResume, {}, 0, {}});
  call.open.then = [this, paused](const Fleet&, Open& open) { reply(open, {{"paused", paused}, {"tick", open.tick}}); };
}

void Calls::set_sim_speed(Call& call) {
  const auto it = call.request.find("percent");
  if (it == call.request.end() || !it->is_number())
    return refuse_open(call.open, {"missing_field", "percent is a number"});
  const double percent = it->get<double>();
  if (!(percent >= 0 && percent <= 1e8))
    return refuse_open(call.open, {"bad_value", "percent is from 0 (as fast as possible) on"});
  ask(call.open, {0, GatewayWish::Kind::kSpeed, {}, percent / 100, {}});
  call.open.then = [this, percent](const Fleet&, Open& open) { reply(open, {{"percent", percent}}); };
}

// Physics steps of the session's robots, or ticks.
Checked<Tick> Calls::ticks_of(const Call& call) const {
  const auto number = [&](const char* field) -> Checked<std::optional<std::int64_t>> {
    const auto it = call.request.find(field);
    if (it == call.request.end() || it->is_null()) return std::nullopt;
    const double value = it->is_number() ? it->get<double>() : 0;
    if (!(value >= 1 && value <= static_cast<double>(kMostTicks)) || value != std::floor(value))
      return refuse("bad_value", std::string(field) + " is a whole number from 1 to 1000000");
    return static_cast<std::int64_t>(value);
  };
  const auto ticks = number("ticks");
  if (!ticks) return tl::unexpected(ticks.error());
  if (*ticks) return **ticks;
  const auto steps = number("n_steps");
  if (!steps) return tl::unexpected(steps.error());
  const std::int64_t tick = nanos(call.fleet.tick());
  std::optional<std::int64_t> step;
  for (WorldNumber robot : robots_of(call.session)) {
    const Robots::Robot* known = robots_.find(robot);
    const std::int64_t own = known ? nanos(known->panel.step) : tick;
    if (step.value_or(own) != own)
      return refuse("bad_value", "robots of this session differ in their timestep: say ticks instead of n_steps");
    step = own;
  }
  const std::int64_t length = steps->value_or(1) * step.value_or(tick);
  if (length % tick != 0)
    return refuse("bad_value",
                  fmt::format("n_steps of {} ns are not a whole number of ticks of {} ns", step.value_or(tick), tick));
  return length / tick;
}

void Calls::step(Call& call) {
  Session& session = *call.session;
  const auto ticks = session.target ? ticks_of(call) : Checked<Tick>(0);
  if (!ticks) return refuse_open(call.open, ticks.error());
  auto shown = read_shown(call);
  if (!shown) return refuse_open(call.open, shown.error());
  auto commands = read_commands(call);
  if (!commands) return refuse_open(call.open, commands.error());
  auto resets = read_reset_after(call);
  if (!resets) return refuse_open(call.open, resets.error());
  if (session.target && !rests(session))
    return refuse_open(call.open, {"not_ready", "another step of this session is under way"});
  for (const Command& command : *commands) {
    Robots::Robot& robot = *robots_.find(command.number);
    for (std::size_t i = 0; i < command.controls.size(); ++i)
      if (!std::isnan(command.controls[i])) robot.controls[i] = command.controls[i], robot.any_control = true;
  }
  if (session.target) call.open.until = session.target = stands_.tick + *ticks;
  const auto finish = [this, shown = std::move(*shown)](const Fleet& fleet, Open& open) { show(fleet, open, shown); };
  if (resets->empty()) {
    call.open.then = finish;
    return;
  }
  call.open.then = [this, puts = std::move(*resets), finish](const Fleet&, Open& open) {
    Reset reset;
    for (const Put& put : puts) reset.entities.push_back(put.number);
    put_back(open, reset, puts, finish);
  };
}

// --------------------------------------------------------------------------------------------------- answers

Checked<Shown> Calls::read_shown(const Call& call) const {
  Shown out;
  out.level = call.session ? call.session->level : Level::kStandard;
  out.robots = robots_of(call.session);
  if (const auto it = call.request.find("observations"); it != call.request.end()) {
    const std::string name = it->is_string() ? it->get<std::string>() : "";
    if (name == "none") out.level = Level::kNone;
    else if (name == "minimal") out.level = Level::kMinimal;
    else if (name == "standard") out.level = Level::kStandard;
    else if (name == "full") out.level = Level::kFull;
    else return refuse("bad_value", "observations are none, minimal, standard or full");
  }
  const auto packed = call.request.find("packed");
  const auto controls = call.request.find("ctrl");
  out.packed =
      (packed != call.request.end() && packed->is_boolean() && packed->get<bool>()) || controls != call.request.end();
  return out;
}

void Calls::show(const Fleet& fleet, Open& open, const Shown& shown) {
  const std::int64_t ns = stands_.tick * nanos(fleet.tick());
  const Robots::Robot* first = shown.robots.empty() ? nullptr : robots_.find(shown.robots.front());
  const double wall = options_.unix_time ? options_.unix_time() : 0;
  const Clock sim{ns / 1'000'000'000, ns % 1'000'000'000};
  const Clock real{static_cast<std::int64_t>(wall), static_cast<std::int64_t>((wall - std::floor(wall)) * 1e9)};
  Json out{{"time", seconds(instant(ns))},
           {"tick", stands_.tick},
           {"step", ns / (first ? nanos(first->panel.step) : nanos(fleet.tick()))},
           {"frame_id", stands_.tick},
           {"run", stands_.run},
           {"sim_time", sim.json()},
           {"wall_time", real.json()}};
  if (shown.level != Level::kNone && shown.packed) {
    Bytes all;
    for (WorldNumber number : shown.robots) {
      const Robots::Robot* robot = robots_.find(number);
      if (!robot) return refuse_open(open, {"unknown_articulation", "a robot of this session is no longer here"});
      robots_.pack(fleet, *robot, shown.level, all);
    }
    out["obs"] = Json::binary(std::move(all));
  } else if (shown.level != Level::kNone) {
    Json& robots = out["per_articulation"] = Json::object();
    for (WorldNumber number : shown.robots)
      if (const Robots::Robot* robot = robots_.find(number))
        robots[robot->name] = robots_.show(fleet, *robot, shown.level);
  }
  reply(open, std::move(out));
}

}  // namespace convoy::zmq
