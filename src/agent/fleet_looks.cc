#include "agent/fleet_looks.h"

#include <charconv>
#include <map>

#include "agent/sensed_at.h"
#include "core/json_fields.h"
#include "sensing/sensor_facts.h"

namespace convoy {

namespace {

// Of a controller's parameters, which are text.
std::optional<double> number_in(const std::map<std::string, std::string>& parameters, const std::string& name) {
  const auto found = parameters.find(name);
  if (found == parameters.end()) return {};
  double value = 0;
  const char* const end = found->second.data() + found->second.size();
  const auto read = std::from_chars(found->second.data(), end, value);
  if (read.ec != std::errc() || read.ptr != end) return {};
  return value;
}

// Of a camera, with as many pixels as an answer has room for.
std::string fitting(const Sample& sample) {
  std::string out = to_json(sample);
  const auto* picture = std::get_if<CameraReading>(&sample.data);
  for (std::uint32_t every = 2; picture && out.size() > kMaxAnswer; ++every) {
    Sample thin = sample;
    thin.data = thinned(*picture, every);
    out = to_json(thin);
  }
  return out;
}

}  // namespace

std::optional<NodesAnswer::Touching> contacts_of(const Fleet& fleet, WorldNumber number) {
  const Agent* robot = fleet.agent(number);
  if (!robot) return {};
  const Slot slot = fleet.world().slot_of(number);
  Grid grid;
  NodesAnswer::Touching out{number, true, {}, false};
  out.contacts = robot->feel(fleet.at_boundary(slot, grid, Fleet::Looks::kNone), slot, out.whole).contacts;
  out.cut = out.contacts.size() >= kMaxContacts;
  return out;
}

std::optional<NodesAnswer::Equipped> equipment_of(const Fleet& fleet, WorldNumber number) {
  const Agent* robot = fleet.agent(number);
  if (!robot) return {};
  NodesAnswer::Equipped out{.agent = number};
  const Panel* panel = robot->physics().panel();
  if (!panel) return out;
  std::map<std::string, std::string> parameters;
  for (auto& [name, value] : robot->physics().parameters()) parameters[std::move(name)] = std::move(value);
  const auto mode = parameters.find("mode");
  out.pd = mode != parameters.end() && mode->second == "pd";
  EngineView engine;
  robot->physics().view(engine);
  std::size_t room = kMaxAnswer;
  for (std::size_t i = 0; i < panel->actuators.size(); ++i) {
    const Panel::Actuator& one = panel->actuators[i];
    NodesAnswer::Actuator& told = out.actuators.emplace_back();
    told.name = one.name, told.joint = one.joint;
    if (one.limited) told.low = one.low, told.high = one.high;
    if (i < engine.ctrl.size()) told.control = engine.ctrl[i];
    const auto kp = number_in(parameters, one.name + ".kp"), kv = number_in(parameters, one.name + ".kv"),
               limit = number_in(parameters, one.name + ".torque_limit");
    if (kp && kv && limit) told.gains = ActuatorGains{*kp, *kv, *limit};
    const std::size_t bytes = save(told).size();
    if (bytes > room) return out.actuators.pop_back(), out;
    room -= bytes;
  }
  return out;
}

NodesAnswer::Load load_of(const Fleet& fleet) {
  NodesAnswer::Load out{.host = fleet.me(), .ticks = fleet.counts().ticks, .busy_ns = fleet.counts().busy_ns};
  out.agents = static_cast<std::uint32_t>(fleet.all().size());
  for (const auto& agent : fleet.all())
    out.sensors +=
        static_cast<std::uint32_t>(fleet.world().entity(fleet.world().slot_of(agent->number())).kind->sensors.size());
  return out;
}

Result<Sample> look(const Fleet& fleet, WorldNumber number, std::string_view sensor) {
  const Agent* robot = fleet.agent(number);
  if (!robot) return fail(ErrorCode::kNotFound, "its robot is not here");
  const Slot slot = fleet.world().slot_of(number);
  Grid grid;
  const auto& sensors = robot->equipment().sensors;
  const SensorTraits traits = sensors ? sensors->traits_of(sensor) : SensorTraits{};
  const Fleet::Looks looks = traits.rays       ? Fleet::Looks::kCast
                             : traits.pictures ? Fleet::Looks::kDraw
                                               : Fleet::Looks::kNone;
  return robot->look(sensor, fleet.at_boundary(slot, grid, looks), slot);
}

namespace {

// Those of them that are there, each once.
CameraShots shots_of(const Fleet& fleet, std::span<const CameraName> cameras) {
  const World& world = fleet.world();
  std::map<Exposures::Camera, Shot> all;
  for (const CameraName& camera : cameras) {
    const Agent* robot = fleet.agent(camera.robot);
    if (!robot || !robot->equipment().sensors) continue;
    const Slot slot = world.slot_of(camera.robot);
    const SensedWorld at = sensed_at(world, slot, world.snapshot().state(slot).stamp, fleet.tick());
    auto shot = robot->equipment().sensors->shot(camera.sensor, at, robot->model());
    if (shot) all.emplace(Exposures::Camera{camera.robot, shot->first}, std::move(shot->second));
  }
  CameraShots out;
  for (auto& [camera, shot] : all) out.cameras.push_back(camera), out.shots.push_back(std::move(shot));
  return out;
}

}  // namespace

std::vector<Result<Sample>> pictures_of(const Fleet& fleet, std::span<const CameraName> cameras) {
  std::vector<Result<Sample>> out;
  std::optional<AgentTick> boundary;  // of all of them
  Grid grid;
  for (const CameraName& camera : cameras) {
    const Agent* robot = fleet.agent(camera.robot);
    if (!robot) {
      out.push_back(fail(ErrorCode::kNotFound, "its robot is not here"));
      continue;
    }
    const Slot slot = fleet.world().slot_of(camera.robot);
    if (!boundary) boundary = fleet.at_boundary(slot, grid, Fleet::Looks::kDraw, shots_of(fleet, cameras));
    const auto& sensors = robot->equipment().sensors;
    if (sensors && sensors->traits_of(camera.sensor).pictures)
      out.push_back(robot->look(camera.sensor, *boundary, slot));
    else if (auto known = sensor_named(fleet.world().entity(slot).kind->sensors, camera.sensor, "it"); !known)
      out.push_back(tl::unexpected(known.error()));
    else out.push_back(fail(ErrorCode::kUnsupported, "it is no camera"));
  }
  return out;
}

std::optional<NodesAnswer::Seen> seen_by(const Fleet& fleet, const std::string& robot, const std::string& sensor) {
  const Slot slot = fleet.world().find(robot);
  if (slot == kNoSlot || !fleet.agent(fleet.world().entity(slot).number)) return {};
  NodesAnswer::Seen out;
  out.agent = fleet.world().entity(slot).number;
  const auto sample = look(fleet, out.agent, sensor);
  if (sample) out.json = fitting(*sample);
  else out.error = sample.error().code, out.why = sample.error().message();
  if (out.json.size() <= kMaxAnswer) return out;
  out.error = ErrorCode::kUnsupported;
  out.why = "its sample is " + std::to_string(out.json.size()) + " bytes of text, and an answer has room for " +
            std::to_string(kMaxAnswer) + ": nodes and recordings take it whole";
  out.json.clear();
  return out;
}

std::optional<NodesAnswer::Fit> fit_of(const World& world, SensorBook& sensors, const NodesQuestion& question) {
  const Slot slot = world.find(question.name);
  if (slot == kNoSlot) return {};
  const auto spec = sensor_named(world.entity(slot).kind->sensors, question.sensor, "it");
  if (!spec) return {};
  const auto type = sensors.type_of(**spec);
  if (!type) return NodesAnswer::Fit{type.error().message()};
  if (question.parameters.empty()) return NodesAnswer::Fit{};
  const auto made = (*type)->make(**type, question.parameters);
  return NodesAnswer::Fit{made ? std::string() : made.error().message()};
}

}  // namespace convoy
