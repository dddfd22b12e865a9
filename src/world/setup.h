// Everything that a run is a function of, besides the journal: what a host must know before the first tick.
//
// A scenario file becomes a Setup; its canonical bytes travel to the hosts, and their hash is the scenario's digest.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "convoy/geometry.h"
#include "convoy/ids.h"
#include "convoy/time.h"
#include "world/controller_spec.h"
#include "world/model.h"
#include "world/static_map.h"

namespace convoy {

// Where a command comes from, and who may command a robot: kAny (the last command wins), or one source alone.
enum class ControlSource : std::uint8_t {
  kAny = 0,
  kDashboard = 1,  // people: convoy ctl and other callers of the server
  kZmq = 2,        // the streams of docs/zmq.md
  kRos2 = 3,       // ROS 2 programs outside the run
  kNodes = 4,      // what belongs to the robot: its nodes and its driver
};
inline constexpr std::size_t kControlSources = 5;
inline constexpr std::array<std::string_view, kControlSources> kControlSourceNames{"any", "dashboard", "zmq", "ros2",
                                                                                   "nodes"};
inline bool is_control_source(ControlSource s) {
  return static_cast<std::size_t>(s) < kControlSources;
}  // it may come from elsewhere
inline std::string_view name_of(ControlSource s) {
  return is_control_source(s) ? kControlSourceNames[static_cast<std::size_t>(s)] : "unknown";
}
std::optional<ControlSource> control_source_of(std::string_view name);  // nothing: there is none of that name

enum class DriverKind : std::uint8_t {
  kNone = 0,        // moves only by commands from outside
  kRandomWalk = 1,  // drives on, turns away from what map rays and neighbours show
  kWaypoints = 2,   // drives a list of points
  kRightOfWay = 3,  // drives to random free goals, broadcasts its intent, yields to robots of smaller number
};

inline constexpr Duration kLeastDriverPeriod = std::chrono::milliseconds(1);
inline constexpr std::size_t kMaxWaypoints = 10'000;  // of one driver

// The program that drives a robot while no command from outside is in force.
struct DriverSpec {
  DriverKind kind = DriverKind::kNone;
  Duration period = std::chrono::milliseconds(100);  // how often it decides
  double speed = 1.0;                                // fraction of the model's limits
  std::vector<Vec2> waypoints;                       // world, m
  bool loop = true;                                  // start again after the last waypoint
  double tolerance = 0.15;                           // m; a waypoint or goal counts as reached within this
  double range = 3.0;                                // m; how far it looks: map rays, neighbours

  friend bool operator==(const DriverSpec&, const DriverSpec&) = default;
};
template <class V>
void fields(V& v, DriverSpec& d) {
  v("kind", d.kind), v("period", d.period), v("speed", d.speed), v("waypoints", d.waypoints), v("loop", d.loop);
  v("tolerance", d.tolerance), v("range", d.range);
}

// A node of an agent's software: a component of a shared library. Without library and class it stands for a whole
// program with its own main(), which joins the run under the agent's name.
struct ComponentSpec {
  std::string library;                 // a package of an ament index, or the path of a shared library
  std::string type;                    // "demo::Talker"
  std::vector<std::string> arguments;  // ROS arguments of this node alone, without --ros-args
  friend bool operator==(const ComponentSpec&, const ComponentSpec&) = default;
};
template <class V>
void fields(V& v, ComponentSpec& c) {
  v("library", c.library), v("type", c.type), v("arguments", c.arguments);
}

struct ComponentList {
  std::vector<ComponentSpec> all;
};
template <class V>
void fields(V& v, ComponentList& l) {
  v("all", l.all);
}

inline constexpr std::size_t kMaxComponents = 1'000;  // of one agent

inline bool is_joining_program(const ComponentSpec& c) { return c.type.empty(); }
inline bool joins(const std::vector<ComponentSpec>& components) {
  return components.size() == 1 && is_joining_program(components[0]);
}

// One entity as it is to be made, by a scenario or by a spawn call.
struct EntitySpec {
  std::string name;   // unique in the world
  std::string model;  // name of a Model
  Pose pose;          // X_WB at its creation
  std::string ns;     // namespace of its interfaces; empty: its name
  std::string frame;  // frame id of its base; empty: base_footprint
  std::vector<std::string> tags;
  DriverSpec driver;
  std::vector<ComponentSpec> components;        // its software, made in this order
  std::uint32_t domain = 0;                     // nodes of different domains do not hear of each other, as in ROS 2
  std::optional<ControlSource> control_source;  // who rules it at its beginning; nothing: as the setup says
  std::optional<ControllerSpec> controller;     // nothing: the setup's
  std::string host;  // where it should run if such a host exists; never part of a digest's inputs

  friend bool operator==(const EntitySpec&, const EntitySpec&) = default;
};
template <class V>
void fields(V& v, EntitySpec& e) {
  v("name", e.name), v("model", e.model), v("pose", e.pose), v("ns", e.ns), v("frame", e.frame), v("tags", e.tags);
  v("driver", e.driver), v("components", e.components), v("domain", e.domain);
  v("control_source", e.control_source), v("controller", e.controller), v("host", e.host);
}

// Weather and time of day, replicated to everybody; 0 to 1 but the hours.
struct Environment {
  double fog = 0, rain = 0, wetness = 0, cloudiness = 0, road_damage = 0;
  double time_of_day = 12;  // hours, [0, 24)
  friend bool operator==(const Environment&, const Environment&) = default;
};
template <class V>
void fields(V& v, Environment& e) {
  v("fog", e.fog), v("rain", e.rain), v("wetness", e.wetness), v("cloudiness", e.cloudiness);
  v("road_damage", e.road_damage), v("time_of_day", e.time_of_day);
}

// The modelled network between agents: seeded, deterministic, part of the world. Not the real one.
struct NetworkModel {
  Duration delay{0};   // added to the least delay, which is one tick
  Duration jitter{0};  // uniform in [0, jitter], drawn per (sender, receiver, message)
  double loss = 0;     // probability in [0, 1], drawn per (sender, receiver, message)
  double range = 30;   // m; who is farther from the sender at the boundary of hand-over does not hear it

  friend bool operator==(const NetworkModel&, const NetworkModel&) = default;
};
template <class V>
void fields(V& v, NetworkModel& n) {
  v("delay", n.delay), v("jitter", n.jitter), v("loss", n.loss), v("range", n.range);
}

// How long messages between nodes take, as a scenario says it; nodes::DelayRule says what the numbers mean.
struct DelaySpec {
  std::uint8_t of = 0;  // topic, request, response
  std::string name, publisher, subscriber;
  std::uint8_t kind = 0;  // constant, uniform, normal, trace
  Duration low{0}, high{0};
  std::vector<Duration> samples;
  std::string where;  // for errors: "delays.csv:3"
  friend bool operator==(const DelaySpec&, const DelaySpec&) = default;
};
template <class V>
void fields(V& v, DelaySpec& d) {
  v("of", d.of), v("name", d.name), v("publisher", d.publisher), v("subscriber", d.subscriber), v("kind", d.kind);
  v("low", d.low), v("high", d.high), v("samples", d.samples), v("where", d.where);
}

// Rules for the nodes of all agents.
struct NodeRules {
  Duration start{0};             // what their clocks show at tick 0
  bool overdue_start = false;    // they are made with clocks at 0, so that timers are due at the start
  std::uint8_t order = 0;        // nodes::TimerOrder
  bool digest_messages = false;  // the bytes of messages inside agents count in the digest
  Duration end{-1};              // their last instant, from tick 0; below 0: none
  bool one_job = false;          // all are parts or copies of one job: delays are drawn as in one agent, and shutdown()
                                 // of one ends the run
  bool alone = false;            // each agent is a whole job: it ends when nothing is left to happen in it
  std::vector<DelaySpec> delays;
  friend bool operator==(const NodeRules&, const NodeRules&) = default;
};
template <class V>
void fields(V& v, NodeRules& r) {
  v("start", r.start), v("overdue_start", r.overdue_start), v("order", r.order);
  v("digest_messages", r.digest_messages), v("end", r.end), v("one_job", r.one_job), v("alone", r.alone),
      v("delays", r.delays);
}

struct Setup {
  std::string name;
  std::uint64_t seed = 1;
  Duration tick = std::chrono::milliseconds(10);
  double view_radius = 5;          // m; what an agent may see
  std::uint32_t checkpoint = 100;  // ticks between two complete images of the agents' inner states
  bool robots_touch = true;        // agents touch each other; else only the static world
  NetworkModel network;
  NodeRules nodes;
  ControlSource control_source = ControlSource::kAny;  // who rules robots that do not say it themselves
  Duration control_silence{0};                         // ControllerSpec::silence of those that do not say it
  Environment environment;
  MapData map;
  std::vector<BoxShape> boxes;  // already painted into the map; for pictures and rays
  std::vector<CylinderShape> cylinders;
  std::vector<Bytes> files;  // what models' files hold; each once
  std::vector<Model> models;
  std::vector<EntitySpec> entities;  // in world-number order, first is 1

  friend bool operator==(const Setup&, const Setup&) = default;
};
// Frees the map's cells, the files and the entities, which are not needed once the world is made.
void forget_scene(Setup& setup);
template <class V>
void fields(V& v, Setup& s) {
  v("name", s.name), v("seed", s.seed), v("tick", s.tick), v("view_radius", s.view_radius);
  v("checkpoint", s.checkpoint), v("meet", s.robots_touch), v("network", s.network), v("nodes", s.nodes);
  v("control_source", s.control_source), v("control_silence", s.control_silence), v("environment", s.environment),
      v("map", s.map);
  v("boxes", s.boxes), v("cylinders", s.cylinders), v("files", s.files), v("models", s.models),
      v("entities", s.entities);
}

}  // namespace convoy
