// A scenario file as values: the world that every host must know (Setup), and how to run it (RunOptions).
//
//   auto scenario = scenario::load("scenarios/warehouse.yaml", {.overrides = {"seed=7"}, .map_path = {maps}});
//   if (!scenario) die(scenario.error().message());   // "scenarios/warehouse.yaml:12: robots[0].modle: unknown ..."
//
// All that is wrong is found in one go, but for what only a sound file can have: random places, imports of groups.
//
// docs/scenario.md is the reference of its fields. Robots get their world numbers in file order, a group's robots in
// the order of their numbering.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "convoy/result.h"
#include "convoy/time.h"
#include "core/access.h"
#include "scenario/schema.h"
#include "world/engine_options.h"
#include "world/ground.h"
#include "world/inertia_rule.h"
#include "world/loose_bodies.h"
#include "world/model_files.h"
#include "world/setup.h"
#include "world/upright_shapes.h"
#include "world/welcome_spec.h"

namespace convoy::scenario {

inline constexpr std::uint64_t kSchemaVersion = 1;  // the field `convoy`
inline constexpr std::size_t kMaxEntities = 200'000;
inline constexpr std::size_t kMaxObjects = 10'000;  // loose bodies
inline constexpr std::size_t kMaxHosts = 1'000;
inline constexpr std::size_t kMaxModels = 1'000;
inline constexpr std::size_t kMaxShapes = 10'000;
inline constexpr std::size_t kMaxDescriptors = 4u << 20;  // bytes
inline constexpr std::size_t kMaxFaults = 10'000;
inline constexpr double kMaxSpeed = 0;  // as RunOptions::speed: as fast as possible

enum class TimeMode : std::uint8_t { kLockstep, kFree };

// How far behind a host may fall in free time, and what then.
enum class DriftPolicy : std::uint8_t {
  kSlow,     // the world waits
  kDegrade,  // the host is named, the world goes on
};
struct MaxDrift {
  Duration bound{0};
  DriftPolicy policy = DriftPolicy::kSlow;
  friend bool operator==(const MaxDrift&, const MaxDrift&) = default;
};

enum class HostPlacement : std::uint8_t {
  kRoundRobin,  // robots without a host are dealt out in turn
  kByName,      // every robot names its host
};
struct Hosts {
  std::vector<std::string> names{"host0"};
  HostPlacement placement = HostPlacement::kRoundRobin;
  friend bool operator==(const Hosts&, const Hosts&) = default;
};

// What becomes of a lost owner's agents.
enum class LeavePolicy : std::uint8_t { kFreeze, kRemove, kRecover };

// Trouble made on purpose, at an instant of the run.
enum class FaultKind : std::uint8_t {
  kDelay,         // what the host sends is late by `duration`, from then on
  kStall,         // the host does nothing for `duration`
  kCut,           // nothing passes between host and server for `duration`
  kKill,          // the host is gone
  kCorruptState,  // one bit of a state of the host flips: the digests must show it (for tests)
};
struct Fault {
  Instant at{};
  std::string host;
  FaultKind kind = FaultKind::kDelay;
  Duration duration{0};
  friend bool operator==(const Fault&, const Fault&) = default;
};

// Outside controllers that the barrier of each tick waits for.
struct WaitFor {
  std::vector<std::string> names;
  Duration deadline = std::chrono::seconds(1);  // a miss is journalled, and the run goes on
  friend bool operator==(const WaitFor&, const WaitFor&) = default;
};

// A program with a main() of its own that joins, as a host of its agent's name.
struct Program {
  std::string name;
  std::vector<std::string> command;  // how convoy launch starts it; empty: it is started by other means
  friend bool operator==(const Program&, const Program&) = default;
};

// URLab's streams over ZeroMQ, which every robot client has for its own robots (docs/zmq.md).
enum class ZmqPictures : std::uint8_t { kBare, kVersion1, kVersion2 };  // what stands in front of a camera's pixels
enum class ZmqProfile : std::uint8_t { kSeed, kUrlab01, kBoth };
inline constexpr std::uint16_t kZmqBlock = 20;  // ports of one client
struct ZmqOptions {
  std::uint16_t port = 5555;  // first of the first client's block
  ZmqProfile profile = ZmqProfile::kSeed;
  ZmqPictures pictures = ZmqPictures::kBare;
  std::uint16_t urlab01_port = 7555;  // of kBoth: first of the first client's second block
  std::string listen = "127.0.0.1";
  bool insecure = false;        // everybody may come in, without keys
  Access role = Access::kEdit;  // of all who come by these streams
  friend bool operator==(const ZmqOptions&, const ZmqOptions&) = default;
};

// How robots and clients are seen from ROS 2 (docs/ros2.md).
enum class RosDistro : std::uint8_t { kHumble, kIron, kJazzy, kKilted, kRolling };
enum class RosTfMode : std::uint8_t { kNamespaced, kPrefixed, kBoth };
inline constexpr std::uint16_t kMaxRosDomain = 232;
inline constexpr const char* kRosObstacles[] = {"planning_scene", "markers", "points"};
struct Ros2Options {
  std::optional<std::uint16_t> domain;  // nothing: ROS_DOMAIN_ID, else 0
  RosDistro distro = RosDistro::kJazzy;
  std::string ns = "auto";  // of the clients' services: NetworkPC1 and so on of several clients, else none
  RosTfMode tf_mode = RosTfMode::kNamespaced;
  double state_rate = 30;                                             // Hz: odom, tf, joint_states
  std::string trajectory_controller = "joint_trajectory_controller";  // of robots with servos; empty: none
  std::uint16_t simulation_interfaces = 2;                            // for who does not tell which they have
  bool nodes = true;                                                  // nodes of the run are nodes of ROS 2
  std::vector<std::string> obstacles;                                 // as what they are told: of kRosObstacles
  friend bool operator==(const Ros2Options&, const Ros2Options&) = default;
};

// What engines of clusters are told of the run's processes (convoy launch --engine), as it is.
inline constexpr const char* kClusterEngines[] = {"slurm", "ray", "kubernetes"};
struct ClusterOptions {
  std::string interface;                        // of each machine, where processes meet; empty: as the engine knows it
  std::map<std::string, std::string> settings;  // by engine; JSON objects
  friend bool operator==(const ClusterOptions&, const ClusterOptions&) = default;
};

struct RunOptions {
  TimeMode mode = TimeMode::kLockstep;
  std::optional<double> speed;  // times real time, kMaxSpeed, or nothing: the command's default
  Duration duration = std::chrono::seconds(60);
  std::optional<MaxDrift> max_drift;
  Hosts hosts;
  LeavePolicy leave = LeavePolicy::kFreeze;
  std::optional<Duration> liveness = std::chrono::seconds(5);  // nothing: off
  Duration tick_deadline = std::chrono::minutes(10);
  std::vector<Fault> faults;  // by time
  WaitFor wait_for;
  std::uint32_t max_clients = 64;
  std::vector<Program> programs;
  std::vector<std::string> isolated;  // robot clients for one robot each, beside the hosts: HOST.ROBOT
  std::optional<ZmqOptions> zmq;
  std::optional<Ros2Options> ros2;
  WelcomeSpec welcome;
  ClusterOptions cluster;
  friend bool operator==(const RunOptions&, const RunOptions&) = default;
};

// The names of all robot clients: the hosts, then those for one robot.
inline std::vector<std::string> client_names(const RunOptions& run) {
  std::vector<std::string> names = run.hosts.names;
  names.insert(names.end(), run.isolated.begin(), run.isolated.end());
  return names;
}

struct Scenario {
  std::string file;
  std::vector<std::string> overrides;  // as given
  Setup setup;
  RunOptions run;
  std::string
      element_types;  // bytes of the file of elements.descriptors: a google.protobuf.FileDescriptorSet, unchecked
  std::vector<std::string> warnings;
};

// A robot's own file, MJCF or URDF, that a scenario names instead of a model.
struct RobotFile {
  std::string file;                                    // as written
  std::string folder;                                  // of the scenario
  std::string name;                                    // of the model; empty: after the file
  std::vector<std::string> left_wheels, right_wheels;  // joints; empty: as the file specifies, or none
  convoy::Ground ground = convoy::Ground::kAuto;
  InertiaRule inertia = InertiaRule::kRepair;
  EngineOptions options{};  // in place of its own
};
// What an MJCF file is as a world.
struct WorldFile {
  ImportedModel fixed;                   // what is fixed there, for robots that an engine moves
  std::optional<ImportedModel> objects;  // what moves there: one entity
  std::vector<BoxShape> boxes;           // the former on a map
};
// The shapes are put into it as what is fixed; `boxes` are without them.
using WorldImporter = std::function<Result<WorldFile>(const RobotFile&, const UprightShapes&)>;
using GroupImporter = std::function<Result<ImportedModel>(const LooseGroup&)>;
using RobotImporter = std::function<Result<ImportedModel>(const RobotFile&)>;
// Is a model written as the name of such a file?
bool names_robot_file(std::string_view model);

// Why there is no scenario: as an Error the worst of it (see Document::status), and all of it.
struct Refusal : Error {
  std::vector<Error> all;  // by line; then what is in no line of the file
  std::size_t more = 0;    // beyond those
};
using Loaded = tl::expected<Scenario, Refusal>;
// What a caller refuses of a run that could be read, whatever else is wrong.
using RunCheck = std::function<std::vector<Error>(const RunOptions&)>;

struct LoadOptions {
  std::vector<std::string> overrides;  // "a.b=c", "robots[0].count=10"; later ones win
  std::vector<std::string> map_path;   // directories to search for a map after the scenario's own
  std::vector<ExtraSection> sections;  // top-level sections of other parts
  RobotImporter import_robot;          // empty: no such files are read
  WorldImporter import_world;
  GroupImporter import_group;  // of loose objects
  RunCheck check_run;          // may be empty
};

Loaded load(const std::string& path, const LoadOptions& options = {});
// `file` is for messages, and is never taken for its own map; `base_dir` is where maps are searched for first.
Loaded parse(std::string_view text, const std::string& file, const std::string& base_dir,
             const LoadOptions& options = {});

// The section `engine` from a file of its own; what it says of an engine is in place of what `over` says of it.
Result<ClusterOptions> load_engine_file(const std::string& path, ClusterOptions over = {});

// Every field of a scenario file, as "robots[].driver.kind", sorted.
std::vector<std::string> known_scenario_fields(const LoadOptions& options = {});

}  // namespace convoy::scenario
