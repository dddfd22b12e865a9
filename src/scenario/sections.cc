#include "scenario/sections.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/speed.h"

namespace convoy::scenario {

namespace {

using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Choice<TimeMode> kTimeModes[] = {{"lockstep", TimeMode::kLockstep}, {"free", TimeMode::kFree}};
constexpr Choice<DriftPolicy> kDriftPolicies[] = {{"slow", DriftPolicy::kSlow}, {"degrade", DriftPolicy::kDegrade}};
constexpr Choice<bool> kContacts[] = {{"all", true}, {"static", false}};
constexpr Choice<HostPlacement> kHostPlacements[] = {{"round_robin", HostPlacement::kRoundRobin},
                                                     {"by_name", HostPlacement::kByName}};
constexpr Choice<LeavePolicy> kLeavePolicies[] = {
    {"freeze", LeavePolicy::kFreeze}, {"remove", LeavePolicy::kRemove}, {"recover", LeavePolicy::kRecover}};
constexpr Choice<FaultKind> kFaultKinds[] = {{"delay", FaultKind::kDelay},
                                             {"stall", FaultKind::kStall},
                                             {"cut", FaultKind::kCut},
                                             {"kill", FaultKind::kKill},
                                             {"corrupt_state", FaultKind::kCorruptState}};
constexpr Choice<int> kVersions[] = {{"1", 1}};

constexpr Duration kLongTick = seconds(1);  // longer is most likely a number of milliseconds

constexpr NumberRange kLength{0, 1e4, "m", true};
constexpr NumberRange kShare{0, 1, "", false};

void read_time(Section& s, Draft& d) {
  s.choice<TimeMode>("mode", d.run.mode, kTimeModes);
  s.duration("tick", d.setup.tick, {microseconds(1), seconds(10)});
  if (s.sound() && d.setup.tick > kLongTick) {
    const auto number = std::chrono::duration_cast<seconds>(d.setup.tick).count();
    s.warn("tick",
           fmt::format("robots see each other every {} only; did you mean {}ms?", to_text(d.setup.tick), number));
  }
  double speed = 1;
  if (s.number_or("speed", speed, {kLeastSpeed, kGreatestSpeed, "times real time", false}, "max"))
    d.run.speed = kMaxSpeed;
  else if (s.has("speed")) d.run.speed = speed;
  s.duration("duration", d.run.duration, {Duration(0), hours(24 * 365)});
  s.section("max_drift", [&](Section& m) {
    MaxDrift drift;
    std::uint32_t ticks = 0;
    m.integer("ticks", ticks, 1, 1'000'000);
    m.duration("duration", drift.bound, {microseconds(1), hours(1)});
    m.choice<DriftPolicy>("policy", drift.policy, kDriftPolicies);
    m.at_most_one_of({"ticks", "duration"});
    if (m.sound() && !m.has("ticks") && !m.has("duration"))
      m.refuse("", "one of the fields 'ticks', 'duration' is missing");
    if (m.has("ticks")) drift.bound = ticks * d.setup.tick;
    d.run.max_drift = drift;
  });
  if (s.sound() && d.run.mode == TimeMode::kFree && d.run.speed == kMaxSpeed)
    s.refuse("speed", "max is not possible in free mode; allowed: a number above 0");
}

void read_box(Section& s, Setup& setup) {
  BoxShape box;
  s.number("x", box.x, kMetres, Need::kRequired);
  s.number("y", box.y, kMetres, Need::kRequired);
  s.number("yaw", box.yaw, {-1000, 1000, "rad", false});
  s.number("length", box.length, kLength);
  s.number("width", box.width, kLength);
  s.number("height", box.height, kLength);
  setup.boxes.push_back(box);
}

void read_cylinder(Section& s, Setup& setup) {
  CylinderShape cylinder;
  s.number("x", cylinder.x, kMetres, Need::kRequired);
  s.number("y", cylinder.y, kMetres, Need::kRequired);
  s.number("radius", cylinder.radius, kLength);
  s.number("height", cylinder.height, kLength);
  setup.cylinders.push_back(cylinder);
}

void read_world(Section& s, Draft& d) {
  s.text("map", d.world.map);
  s.number("map_height", d.world.map_height, {0, kMaxWallHeight, "m", true});
  if (s.has("map_height") && !s.has("map"))
    s.refuse("map_height", "is the height of a map's walls, and there is no map");
  s.section("ground", [&](Section& g) {
    Ground ground;
    g.numbers("size", ground.size, {0, 1000, "m", true}, Need::kRequired);
    g.number("resolution", ground.resolution, {0.001, 10, "m", false});
    g.section("walls", {.scalar_is = "thickness"}, [&](Section& w) {
      if (w.number_or("thickness", ground.wall_thickness, {0, 100, "m", true}, "none")) ground.wall_thickness = 0;
      w.number("height", ground.wall_height, kLength);
    });
    d.world.ground = ground;
  });
  s.list(
      "boxes", [&](Section& box) { read_box(box, d.setup); }, kMaxShapes);
  s.list(
      "cylinders", [&](Section& cylinder) { read_cylinder(cylinder, d.setup); }, kMaxShapes);
  s.text("mjcf", d.world.mjcf);
  d.world.mjcf_where = s.where("mjcf");
  s.choice<bool>("contact", d.setup.robots_touch, kContacts);
  s.at_most_one_of({"map", "ground"});
  d.world.map_where = s.where("map");
  d.world.ground_where = s.where("ground");
  if (!d.setup.cylinders.empty()) d.world.shapes_where = s.where("cylinders");
  if (!d.setup.boxes.empty()) d.world.shapes_where = s.where("boxes");
}

void read_environment(Section& s, Environment& e) {
  s.number("fog", e.fog, kShare);
  s.number("rain", e.rain, kShare);
  s.number("wetness", e.wetness, kShare);
  s.number("cloudiness", e.cloudiness, kShare);
  s.number("road_damage", e.road_damage, kShare);
  s.number("time_of_day", e.time_of_day, {0, 24, "h", false});
  if (s.sound() && e.time_of_day == 24) e.time_of_day = 0;
  const auto vector = [&](const char* name, std::optional<Vec3>& out, const char* unit) {
    double v[3] = {0, 0, 0};
    s.numbers(name, v, {-1000, 1000, unit, false});
    if (s.has(name)) out = Vec3{v[0], v[1], v[2]};
  };
  vector("gravity", e.gravity, "m/s^2"), vector("wind", e.wind, "m/s");
}

void read_hosts(Section& s, Hosts& hosts) {
  std::uint32_t count = 1;
  s.integer("count", count, 1, kMaxHosts);
  std::vector<std::string> names;
  s.texts("names", names, TextRule::kName);
  s.choice<HostPlacement>("placement", hosts.placement, kHostPlacements);
  s.at_most_one_of({"count", "names"});
  if (!s.sound()) return;
  if (s.has("names")) {
    std::vector<std::string> sorted = names;
    std::sort(sorted.begin(), sorted.end());
    const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
    if (twice != sorted.end()) return s.refuse("names", fmt::format("the name '{}' stands here twice", *twice));
    if (names.empty() || names.size() > kMaxHosts)
      return s.refuse("names", fmt::format("{} hosts; allowed: 1 to {}", names.size(), kMaxHosts));
    hosts.names = names;
  } else {
    hosts.names.clear();
    for (std::uint32_t i = 0; i < count; ++i) hosts.names.push_back(fmt::format("host{}", i));
  }
}

// `hosts_known`: the names of the hosts could be read.
void read_fault(Section& s, RunOptions& run, bool hosts_known) {
  Fault fault;
  Duration at{0};
  s.duration("at", at, {Duration(0), hours(24 * 365)}, Need::kRequired);
  s.text("host", fault.host, TextRule::kName, Need::kRequired);
  s.choice<FaultKind>("kind", fault.kind, kFaultKinds, Need::kRequired);
  s.duration("duration", fault.duration, {Duration(0), hours(24)});
  fault.at = Instant(at);
  const bool lasts = fault.kind != FaultKind::kKill && fault.kind != FaultKind::kCorruptState;
  if (s.sound() && lasts && fault.duration == Duration(0))
    s.refuse("duration", "this kind of fault needs a duration above 0");
  if (s.sound() && !lasts && s.has("duration")) s.refuse("duration", "this kind of fault has no duration");
  const auto& names = run.hosts.names;
  const bool sensor_host = fault.host.rfind("sensor", 0) == 0 && fault.host.size() > 6 &&
                           fault.host.find_first_not_of("0123456789", 6) == fault.host.npos;  // --sensor-hosts
  if (s.sound() && hosts_known && !sensor_host && std::find(names.begin(), names.end(), fault.host) == names.end())
    s.unknown("host", "host", fault.host, names);
  run.faults.push_back(fault);
}

void read_network(Section& s, NetworkModel& network) {
  s.duration("delay", network.delay, {Duration(0), seconds(60)});
  s.duration("jitter", network.jitter, {Duration(0), seconds(60)});
  s.number("loss", network.loss, kShare);
  s.number("range", network.range, {0, 1e6, "m", false});
}

void read_run(Section& s, Draft& d) {
  RunOptions& run = d.run;
  const std::size_t before = s.problems();
  s.section("hosts", {.scalar_is = "count", .list_is = "names"}, [&](Section& h) { read_hosts(h, run.hosts); });
  const bool hosts_known = s.problems() == before;
  s.choice<LeavePolicy>("leave", run.leave, kLeavePolicies);
  Duration liveness = *run.liveness;
  if (s.duration_or("liveness", liveness, {milliseconds(10), hours(1)}, "off")) run.liveness.reset();
  else run.liveness = liveness;
  s.duration("tick_deadline", run.tick_deadline, {milliseconds(100), hours(24)});
  s.list(
      "faults", [&](Section& f) { read_fault(f, run, hosts_known); }, kMaxFaults);
  std::stable_sort(run.faults.begin(), run.faults.end(), [](const Fault& a, const Fault& b) { return a.at < b.at; });
  s.section("wait_for", {.list_is = "names"}, [&](Section& w) {
    w.texts("names", run.wait_for.names, TextRule::kName);
    w.duration("deadline", run.wait_for.deadline, {milliseconds(1), hours(1)});
    const auto& hosts = run.hosts.names;
    for (const std::string& name : run.wait_for.names)
      if (std::find(hosts.begin(), hosts.end(), name) != hosts.end())
        w.refuse("names", fmt::format("'{}' is a host, and each tick waits for those anyway", name));
  });
  s.integer("max_clients", run.max_clients, 1, 65535);
  s.section("zmq", [&](Section& z) { read_zmq(z, run); });
  s.section("ros2", [&](Section& r) { read_ros2(r, run); });
  s.section("engine", [&](Section& e) { read_engine(e, run.cluster); });
  s.section("welcome", [&](Section& w) {
    w.text("type", run.welcome.type, TextRule::kAny, Need::kRequired);
    w.text("library", run.welcome.library, TextRule::kAny, Need::kRequired);
    if (!run.welcome.library.empty()) run.welcome.library = library_path(run.welcome.library);
    read_users_parameters(w, run.welcome.parameters, "welcome", kMaxEngineParameters);
  });
}

}  // namespace

void read_scenario(Section& s, Draft& d, const std::vector<ExtraSection>& extra) {
  int version = 0;
  s.choice<int>("convoy", version, kVersions);
  s.missing("convoy", "add a first line: convoy: 1");
  s.text("name", d.setup.name);
  s.integer("seed", d.setup.seed, 0, ~std::uint64_t{0});
  s.section("time", [&](Section& time) { read_time(time, d); });
  const std::size_t before = s.problems();
  s.section("world", [&](Section& world) { read_world(world, d); });
  d.world.sound = s.problems() == before;
  s.section("environment", [&](Section& e) { read_environment(e, d.setup.environment); });
  s.section("physics", [&](Section& p) { read_physics(p, d.options); });
  s.section("network", [&](Section& n) { read_network(n, d.setup.network); });
  s.number("view_radius", d.setup.view_radius, {0, 1e4, "m", false});
  s.choice<ControlSource>("control_source", d.setup.control_source, kSourceChoices);
  read_silence(s, "control_silence", d.setup.control_silence);
  s.integer("checkpoint", d.setup.checkpoint, 1, 1'000'000'000);
  read_run(s, d);
  read_sensor_rules(s, d);
  s.list(
      "models", [&](Section& m) { read_model(m, d); }, kMaxModels);
  s.section("elements", [&](Section& e) {
    e.text("descriptors", d.descriptors, TextRule::kAny, e.has("shapes") ? Need::kOptional : Need::kRequired);
    d.descriptors_where = e.where("descriptors");
    e.list("shapes", [&](Section& shape) { read_element_shape(shape, d); });
  });
  s.section("nodes", [&](Section& n) { read_nodes(n, d); });
  s.list("robots", [&](Section& g) { read_group(g, d); });
  s.list("objects", [&](Section& o) { read_object(o, d); });
  s.list("programs", [&](Section& p) { read_program(p, d); });
  for (const ExtraSection& section : extra) s.section(section.name.c_str(), section.read);
}

}  // namespace convoy::scenario
