#include "adapters/zmq/articulation.h"

#include <cmath>

#include "adapters/zmq/layout.h"

namespace convoy::zmq {

using control::Level;
using control::RobotEntry;

namespace {

const char* name_of(Panel::Joint::Type type) {
  switch (type) {
    case Panel::Joint::Type::kFree: return "free";
    case Panel::Joint::Type::kBall: return "ball";
    case Panel::Joint::Type::kSlide: return "slide";
    case Panel::Joint::Type::kHinge: return "hinge";
  }
  return "";
}

Json list(std::span<const double> values) {
  Json out = Json::array();
  for (double value : values) out.push_back(value);
  return out;
}

// Little-endian f64: qpos, qvel, then act and sensors, then ctrl.
void pack(control::Bodies& bodies, const Fleet& fleet, const RobotEntry& robot, Level level, Bytes& out) {
  const EngineView view = bodies.view(fleet, robot);
  Writer w(out);
  const auto add = [&](std::span<const double> row) { w.raw(row.data(), row.size_bytes()); };
  add(view.qpos), add(view.qvel);
  if (level >= Level::kStandard) add(view.act), add(view.sensors);
  if (level >= Level::kFull) add(view.ctrl);
}

Json clock(std::int64_t s, std::int64_t ns) { return {{"sec", s}, {"nsec", ns}}; }

// Robots that have gone are left out of a map; in packed values their absence could not be seen.
Checked<Json> observe(control::ControlCore& control, const Fleet& fleet, const ObservationRequest& shown) {
  if (shown.packed) {
    Bytes all;
    for (WorldNumber number : shown.robots) {
      const RobotEntry* robot = control.roster().find(number);
      if (!robot) return tl::unexpected(gone());
      pack(control.bodies(), fleet, *robot, shown.level, all);
    }
    return Json::binary(std::move(all));
  }
  Json robots = Json::object();
  for (WorldNumber number : shown.robots)
    if (const RobotEntry* robot = control.roster().find(number))
      robots[robot->name] = show(control.bodies(), fleet, *robot, shown.level);
  return robots;
}

}  // namespace

Json describe(const RobotEntry& robot) {
  const Panel& p = robot.panel;
  Json joints = Json::array(), actuators = Json::array(), sensors = Json::array(), keyframes = Json::array(),
       cameras = Json::array();
  for (const Panel::Joint& j : p.all_joints)
    joints.push_back({{"name", j.name},
                      {"id", j.id},
                      {"type", name_of(j.type)},
                      {"qposadr", j.qpos},
                      {"dofadr", j.qvel},
                      {"limited", j.limited},
                      {"low", j.low},
                      {"high", j.high}});
  for (std::size_t i = 0; i < p.actuators.size(); ++i)
    actuators.push_back({{"name", p.actuators[i].name},
                         {"id", i},
                         {"low", p.actuators[i].low},
                         {"high", p.actuators[i].high},
                         {"limited", p.actuators[i].limited}});
  std::size_t at = 0;
  for (const Panel::Sensor& s : p.sensors) {
    sensors.push_back({{"name", s.name}, {"id", s.id}, {"dim", s.size}, {"adr", at}});
    at += s.size;
  }
  for (const Panel::Keyframe& key : p.keyframes) keyframes.push_back(key.name);
  for (const auto& camera : robot.cameras) cameras.push_back(camera_topic(robot.name, camera.name));
  return {{"name", robot.name},
          {"prefix", robot.name},
          {"actor_id", robot.number.value()},
          {"model", robot.model},
          {"timestep_ns", nanos(p.step)},
          {"nq", p.nq},
          {"nv", p.nv},
          {"nu", p.actuators.size()},
          {"na", p.na},
          {"nsensordata", p.nsensordata},
          {"joints", joints},
          {"actuators", actuators},
          {"sensors", sensors},
          {"keyframes", keyframes},
          {"mocap_bodies", p.mocaps},
          {"camera_topics", cameras},
          {"controller", {{"kind", "direct"}}}};
}

Json show(control::Bodies& bodies, const Fleet& fleet, const RobotEntry& robot, Level level) {
  const EngineView view = bodies.view(fleet, robot);
  Json out{{"qpos", list(view.qpos)}, {"qvel", list(view.qvel)}};
  if (level < Level::kStandard) return out;
  out["ctrl"] = list(view.ctrl), out["act"] = list(view.act);
  Json& sensors = out["sensors"] = Json::object();
  std::size_t at = 0;
  for (const Panel::Sensor& s : robot.panel.sensors) {
    sensors[s.name] = list(view.sensors.subspan(at, s.size));
    at += s.size;
  }
  const Twist told = bodies.operator_twist(fleet, robot);
  out["twist"] = {told.v.x, told.v.y, told.w.z}, out["actions"] = fleet.agent(robot.number)->actions();
  return out;
}

Checked<ObservationRequest> read_shown(const Call& call) {
  ObservationRequest out;
  out.level = call.level;
  out.robots = robots_of(call);
  if (const auto it = call.request.find("observations"); it != call.request.end()) {
    const std::string name = it->is_string() ? it->get<std::string>() : "";
    if (name == "none") out.level = Level::kNone;
    else if (name == "minimal") out.level = Level::kMinimal;
    else if (name == "standard") out.level = Level::kStandard;
    else if (name == "full") out.level = Level::kFull;
    else return refuse("bad_value", "observations are none, minimal, standard or full");
  }
  auto cameras = read_cameras(call, out.robots);
  if (!cameras) return tl::unexpected(cameras.error());
  out.cameras = std::move(*cameras);
  const auto packed = call.request.find("packed");
  const auto controls = call.request.find("ctrl");
  out.packed =
      (packed != call.request.end() && packed->is_boolean() && packed->get<bool>()) || controls != call.request.end();
  return out;
}

double time_of(const control::ControlCore& control, const Fleet& fleet) {
  return seconds(instant(control.position().tick * nanos(fleet.tick())));
}

namespace {

void answer(const Reply& reply, control::ControlCore& control, double (*unix_time)(), const ObservationRequest& shown,
            const Fleet& fleet) {
  const HostPosition& position = control.position();
  const std::int64_t ns = position.tick * nanos(fleet.tick());
  const RobotEntry* first = shown.robots.empty() ? nullptr : control.roster().find(shown.robots.front());
  const double wall = unix_time ? unix_time() : 0;
  Json out{{"time", time_of(control, fleet)},
           {"tick", position.tick},
           {"step", ns / (first ? nanos(first->panel.step) : nanos(fleet.tick()))},
           {"frame_id", position.tick},
           {"run", position.run},
           {"sim_time", clock(ns / 1'000'000'000, ns % 1'000'000'000)},
           {"wall_time",
            clock(static_cast<std::int64_t>(wall), static_cast<std::int64_t>((wall - std::floor(wall)) * 1e9))}};
  if (shown.level != Level::kNone) {
    auto robots = observe(control, fleet, shown);
    if (!robots) return reply.refuse(robots.error());
    out[shown.packed ? "obs" : "per_articulation"] = std::move(*robots);
  }
  if (!shown.cameras.empty()) {
    auto seen = pictures(control, fleet, shown.cameras);
    if (!seen) return reply.refuse(seen.error());
    out["cameras"] = std::move(*seen);
  }
  reply.ok(out);
}

}  // namespace

control::Done observation(const Call& call, ObservationRequest shown) {
  return call.reply.once_reached([&control = call.control, unix_time = call.options.unix_time,
                                  &at_boundary = call.at_boundary,
                                  shown = std::move(shown)](const Reply& reply, const control::Reached& reached) {
    // The robots have got there, and the world, which cameras see, is there when all hosts' robots have.
    if (shown.cameras.empty() || !reached.fleet->ahead())
      return answer(reply, control, unix_time, shown, *reached.fleet);
    if (at_boundary.size() >= kMaxWaiting) return reply.refuse({"not_ready", "too many calls wait already"});
    at_boundary.push_back([&control, unix_time, shown, reply](const Fleet& fleet, Moment) {
      answer(reply, control, unix_time, shown, fleet);
    });
  });
}

}  // namespace convoy::zmq
