// The scenario file field by field: what was written, before maps are loaded and robots placed.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "scenario/scenario.h"
#include "scenario/schema.h"
#include "world/loose_bodies.h"

namespace convoy::scenario {

// A plain rectangle of free ground around the world's origin, with walls outside its edges.
struct Ground {
  double size[2] = {0, 0};  // m along x and y, between the walls
  double resolution = 0.05;
  double wall_thickness = 0;  // m; 0: none
  double wall_height = 0.5;   // m
};

struct WorldDraft {
  std::string map;  // as written; empty: none
  std::string map_where;
  double map_height = 0;  // m, of its walls; 0: not given
  std::optional<Ground> ground;
  std::string ground_where;
  std::string shapes_where;      // of the first shape; empty: none
  std::string mjcf, mjcf_where;  // as written; empty: none
  bool sound = true;             // read without a problem
};

struct PosesPlacement {
  std::vector<std::vector<double>> poses;  // x, y, yaw
};
struct GridPlacement {
  double origin[2] = {0, 0};   // m; of the first robot
  double spacing[2] = {1, 1};  // m
  std::uint32_t columns = 0;   // along x; 0: as square as it gets
  double yaw = 0;
};
struct RandomPlacement {
  std::optional<std::array<double, 4>> region;  // min x, min y, max x, max y; else the whole map
  std::optional<double> yaw;                    // else random
  double margin = 0.05;                         // m kept free around the circumscribed circle
  std::optional<std::uint64_t> seed;            // else the scenario's
  std::optional<Vec2> reachable_from;           // only where there is a way from here, m
};
struct PlacementDraft {
  std::optional<PosesPlacement> poses;
  std::optional<GridPlacement> grid;
  RandomPlacement random;   // where neither of the others is given
  std::optional<double> z;  // m; where the file's origin begins, of a URDF's floating robot its root link's
};
inline bool is_random(const PlacementDraft& placement) { return !placement.poses && !placement.grid; }

// A robot, or `count` of them, as one entry of `robots`.
struct Group {
  std::string name;
  std::optional<std::uint32_t> count;
  EntitySpec spec;                   // but its name and pose; ns as written
  std::vector<std::string> command;  // of the program that joins for it
  bool isolate = false;              // each in a process of its own
  PlacementDraft placement;
  std::string where, placement_where, driver_where;
};

// A file of delays: a trace for one of them, or a table of RSLCPP's.
struct DelayFile {
  std::string path, where;
  std::size_t delay = 0;  // index of the trace's
  bool csv = false;
};

// An entry of `objects`.
struct ObjectDraft {
  LooseBody body;                      // but its pose
  std::optional<std::uint32_t> count;  // in stacks
  std::uint32_t stack = 1;             // so many on one another
  double z = 0;                        // m, of its underside, or of a file's ground
  std::string group = "objects";
  PlacementDraft placement;  // of the stacks
  std::string where, placement_where;
};

struct Draft {
  Setup setup;
  RunOptions run;
  WorldDraft world;
  std::string descriptors, descriptors_where;  // of elements: a file
  std::vector<Group> groups;
  std::vector<ObjectDraft> objects;
  std::vector<DelayFile> delay_files;
  RobotImporter import_robot;
  bool unnamed_models = false;      // an entry of `models` has no name that can be read: it may be any that is missed
  std::vector<std::string> losses;  // of imports
  std::string base_dir;             // of the scenario file
  std::vector<std::pair<std::string, std::string>> imported;  // robots' files, and their models' names
  EngineOptions options;                                      // of all
  std::map<std::string, double> lifts;                        // of models: ImportReport::lift
  std::map<std::string, Duration> steps;                      // of models from files: ImportReport::step
  std::map<std::string, std::vector<SensorSpec>> sensors;     // of models that do not carry the shipped ones' sets
};

// The root of the file. `draft.setup.models` holds the built-in models before.
void read_scenario(Section& s, Draft& draft, const std::vector<ExtraSection>& extra);

// One entry of `models`, with what it is like among the models so far.
void read_model(Section& s, Draft& draft);
// One entry of `elements.shapes`, after the models.
void read_element_shape(Section& s, Draft& draft);
// The section `zmq`, after the hosts.
void read_zmq(Section& s, RunOptions& run);
void read_ros2(Section& s, RunOptions& run);
void read_engine(Section& s, ClusterOptions& cluster);
// Which source rules robots, of the run and of a robot.
inline constexpr Choice<ControlSource> kSourceChoices[] = {{"any", ControlSource::kAny},
                                                           {"dashboard", ControlSource::kDashboard},
                                                           {"zmq", ControlSource::kZmq},
                                                           {"ros2", ControlSource::kRos2},
                                                           {"nodes", ControlSource::kNodes}};
void read_silence(Section& s, const char* name, Duration& silence);
void read_control(Section& s, EntitySpec& spec);  // a robot's `control_source` and `controller`
void read_keyframe(Section& s, EntitySpec& spec, const Model* model);
// A robot's `driver`.
void read_driver(Section& s, DriverSpec& driver);
// What all entries of robots and programs begin with; how many they are.
std::uint32_t read_name_and_count(Section& s, Group& group);
// The `components` and the `domain` of an entity.
void read_components(Section& s, EntitySpec& spec);
void read_software(Section& s, Group& group);  // them, or a program that joins
// One entry of `programs`, and the section `nodes`.
void read_program(Section& s, Draft& draft);
void read_nodes(Section& s, Draft& draft);
// Reads the delays' files.
Status read_delay_files(Draft& draft);
// `parameters` of something in a user's library, as the canonical bytes of UsersParameters: `what` it is, and how many bytes.
void read_users_parameters(Section& s, Bytes& out, const char* what, std::size_t most);
// A path as it is written, from the scenario's folder.
std::string library_path(const std::string& written);
// Of components, sensors and engines: the paths that are written from the scenario's folder.
void make_libraries_absolute(Draft& draft);
// Reads the world's MJCF file, if there is one: its models, what moves in it as the last robot, its boxes, and ground
// under it where the scenario gives none.
Status read_world_file(Draft& draft, const WorldImporter& import);
// A section `physics`: appended.
void read_physics(Section& s, EngineOptions& out);
// Where a robot, or each of several, is placed.
void read_placement(Section& s, PlacementDraft& placement);
// One entry of `objects`.
void read_object(Section& s, Draft& draft);
// A group for each entry, so that its objects are placed as robots are: the last ones.
Status add_object_places(Draft& draft);
// Makes agents of them, in place of those.
Status gather_objects(Draft& draft, const GroupImporter& import, std::vector<std::string>& warnings);
// A model with its files, each once.
void take_in(Setup& setup, ImportedModel&& made);
// The section `sensors` of the file, and what its digest covers.
void read_sensor_rules(Section& s, Draft& draft);
// The field `sensors` of a robot or a model; false: it is not there, and nothing changes.
bool read_sensors(Section& s, std::vector<SensorSpec>& out, const std::vector<SensorSpec>& of_model,
                  const std::string& model, const Draft& draft);
// Is each on a link that the model has?
Status check_mounts(const Draft& draft, const std::vector<SensorSpec>& sensors, const Model& model);
// One entry of `robots`.
void read_group(Section& s, Draft& draft);

}  // namespace convoy::scenario
