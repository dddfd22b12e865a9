// The entries of `models` and `robots`.
#include <fmt/format.h>

#include <algorithm>

#include "scenario/sections.h"
#include "sensing/camera.h"
#include "sensing/presets.h"

namespace convoy::scenario {

namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

constexpr Choice<InertiaRule> kInertiaRules[] = {{"repair", InertiaRule::kRepair}, {"refuse", InertiaRule::kRefuse}};
constexpr Choice<convoy::Ground> kModelGrounds[] = {
    {"auto", convoy::Ground::kAuto}, {"none", convoy::Ground::kNone}, {"plane", convoy::Ground::kPlane}};
constexpr Choice<Drive> kDrives[] = {{"none", Drive::kNone},
                                     {"differential", Drive::kDifferential},
                                     {"ackermann", Drive::kAckermann},
                                     {"tricycle", Drive::kTricycle}};
constexpr Choice<DriverKind> kDrivers[] = {{"none", DriverKind::kNone},
                                           {"random_walk", DriverKind::kRandomWalk},
                                           {"waypoints", DriverKind::kWaypoints},
                                           {"right_of_way", DriverKind::kRightOfWay}};

constexpr NumberRange kAngle{-1000, 1000, "rad", false};
constexpr NumberRange kRobotSize{0, 100, "m", true};

const Model* find_model(const std::vector<Model>& models, const std::string& name) {
  const auto found = std::find_if(models.begin(), models.end(), [&](const Model& m) { return m.name == name; });
  return found == models.end() ? nullptr : &*found;
}

std::vector<std::string> names_of(const std::vector<Model>& models) {
  std::vector<std::string> names;
  for (const Model& model : models) names.push_back(model.name);
  return names;
}

// Counter-clockwise and convex: no corner lies right of any edge, and there is an area.
bool is_convex(const std::vector<Vec2>& corners) {
  double area = 0;
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const Vec2 a = corners[i], b = corners[(i + 1) % corners.size()];
    if (a == b) return false;
    area += a.x * b.y - a.y * b.x;
    for (const Vec2& c : corners)
      if ((b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x) < -1e-9) return false;
  }
  return area > 1e-8;
}

void read_points(Section& s, const char* name, std::vector<Vec2>& points, NumberRange range) {
  std::vector<std::vector<double>> rows;
  s.rows(name, rows, 2, 2, range);
  if (!s.has(name)) return;
  points.clear();
  for (const std::vector<double>& row : rows) points.push_back({row[0], row[1]});
}

void read_random(Section& s, RandomPlacement& random) {
  std::array<double, 4> region{};
  s.numbers("region", region, kMetres);
  double yaw = 0;
  if (!s.number_or("yaw", yaw, kAngle, "random") && s.has("yaw")) random.yaw = yaw;
  s.number("margin", random.margin, {0, 100, "m", false});
  std::uint64_t seed = 0;
  s.integer("seed", seed, 0, ~std::uint64_t{0});
  if (s.has("seed")) random.seed = seed;
  double from[2] = {0, 0};
  s.numbers("reachable_from", from, kMetres);
  if (s.has("reachable_from")) random.reachable_from = Vec2{from[0], from[1]};
  if (!s.has("region")) return;
  random.region = region;
  if (s.sound() && (region[0] >= region[2] || region[1] >= region[3]))
    s.refuse("region", "empty; it is [min_x, min_y, max_x, max_y]");
}

// What robots of a model carry by default.
std::vector<SensorSpec> sensors_of(const Draft& d, const std::string& model) {
  const auto own = d.sensors.find(model);
  return own != d.sensors.end() ? own->second : sensors_of_model(model, {}, d.setup.tick);
}

// They are told to who spawns robots of the model.
void tell_set(Draft& d, const std::string& model, const std::vector<SensorSpec>& sensors) {
  auto& sets = d.setup.sensors.sets;
  const auto at = std::find_if(sets.begin(), sets.end(), [&](const SensorSet& set) { return set.model == model; });
  if (at != sets.end()) at->sensors = sensors;
  else sets.push_back({model, sensors});
}

// The cameras of its file are sensors of it, as well.
void carry_cameras(Draft& d, const std::string& model, std::span<const ModelCamera> cameras) {
  std::vector<SensorSpec> carried = sensors_of(d, model);
  for (const ModelCamera& camera : cameras) {
    SensorSpec spec = sensor_of(camera);
    CameraModel lens;
    if (!load(spec.parameters, lens)) continue;
    if (const std::string wrong = problem_of(lens); !wrong.empty()) {
      d.losses.push_back(fmt::format("the camera '{}' of '{}': {}", camera.name, model, wrong));
      continue;
    }
    spec.period = std::max(spec.period, d.setup.tick);
    make_name_unique(spec, carried);
    carried.push_back(std::move(spec));
  }
  if (cameras.empty()) return;
  tell_set(d, model, carried);
  d.sensors[model] = std::move(carried);
}

// The name of the model that a robot's file makes; empty after having refused.
std::string import(Section& s, const char* field, Draft& d, const RobotFile& robot) {
  if (robot.name.empty())
    for (const auto& [file, name] : d.imported)
      if (file == robot.file) return name;
  if (!d.import_robot) {
    if (s.sound()) s.refuse(field, "robots' files are not read here");
    return {};
  }
  RobotFile file = robot;
  file.options.insert(file.options.begin(), d.options.begin(), d.options.end());
  auto made = d.import_robot(file);
  if (!made) {
    s.refuse(field, made.error().message());
    return {};
  }
  if (find_model(d.setup.models, made->model.name)) {
    s.refuse(field, fmt::format("there is a model '{}' already; give it another name in models", made->model.name));
    return {};
  }
  d.lifts[made->model.name] = made->report.lift;
  d.steps[made->model.name] = made->report.step;
  carry_cameras(d, made->model.name, made->report.cameras);
  for (const std::string& line : made->report.lost) d.losses.push_back(robot.file + ": " + line);
  if (robot.name.empty()) d.imported.emplace_back(robot.file, made->model.name);
  take_in(d.setup, std::move(*made));
  return d.setup.models.back().name;
}

}  // namespace

// `model`: where it is known already.
void read_keyframe(Section& s, EntitySpec& spec, const Model* model) {
  s.text("keyframe", spec.keyframe);
  if (spec.keyframe.empty() || !model || find_keyframe(*model, spec.keyframe)) return;
  std::vector<std::string> names;
  for (const Model::Keyframe& keyframe : model->keyframes) names.push_back(keyframe.name);
  s.unknown("keyframe", "keyframe", spec.keyframe, names);
}

void read_placement(Section& s, PlacementDraft& placement) {
  PosesPlacement poses;
  s.rows("poses", poses.poses, 2, 3, kMetres);
  if (s.has("poses")) placement.poses = poses;
  s.section("grid", [&](Section& g) {
    GridPlacement grid;
    g.numbers("origin", grid.origin, kMetres);
    g.numbers("spacing", grid.spacing, {0, 1000, "m", true});
    g.integer("columns", grid.columns, 1, kMaxEntities);
    g.number("yaw", grid.yaw, kAngle);
    placement.grid = grid;
  });
  s.section("random", [&](Section& r) { read_random(r, placement.random); });
  s.at_most_one_of({"poses", "grid", "random"});
}

void read_driver(Section& s, DriverSpec& driver) {
  s.choice<DriverKind>("kind", driver.kind, kDrivers);
  s.duration("period", driver.period, {milliseconds(1), hours(1)});
  s.number("speed", driver.speed, {0, 1, "of the model's limits", false});
  read_points(s, "waypoints", driver.waypoints, kMetres);
  s.flag("loop", driver.loop);
  s.number("tolerance", driver.tolerance, {0, 100, "m", true});
  s.number("range", driver.range, {0, 1000, "m", false});
  if (!s.sound()) return;
  const bool needed = driver.kind == DriverKind::kWaypoints;
  if (needed && driver.waypoints.empty()) s.refuse("waypoints", "the driver 'waypoints' needs waypoints");
  if (!needed && s.has("waypoints")) s.warn("waypoints", "not used by this kind of driver");
}

void read_engine(Section& s, ModelEngine& engine) {
  engine = {};
  s.text("type", engine.type, TextRule::kAny, Need::kRequired);
  s.text("library", engine.library);
  if (!engine.library.empty()) engine.library = library_path(engine.library);
  read_users_parameters(s, engine.parameters, "engine", kMaxEngineParameters);
}

bool names_robot_file(std::string_view model) {
  for (const char* suffix : {".xml", ".mjcf", ".urdf", ".sdf", ".xacro"})
    if (model.ends_with(suffix)) return true;
  return false;
}

void read_model(Section& s, Draft& d) {
  std::vector<Model>& models = d.setup.models;
  Model model;
  std::string like, name, file;
  s.text("name", name, TextRule::kName, Need::kRequired);
  s.text("like", like, TextRule::kName);
  if (!like.empty()) {
    if (const Model* base = find_model(models, like)) model = *base;
    else if (!d.unnamed_models) s.unknown("like", "model", like, names_of(models));
  }
  if (name.empty()) d.unnamed_models = true;
  else if (find_model(models, name)) s.refuse("name", fmt::format("there is a model '{}' already", name));
  s.text("file", file);
  RobotFile robot{file, d.base_dir, name, {}, {}};
  s.texts("left_wheels", robot.left_wheels, TextRule::kAny);
  s.texts("right_wheels", robot.right_wheels, TextRule::kAny);
  s.choice<convoy::Ground>("ground", robot.ground, kModelGrounds);
  s.choice<InertiaRule>("inertia", robot.inertia, kInertiaRules);
  s.section("physics", [&](Section& p) { read_physics(p, robot.options); });
  s.at_most_one_of({"like", "file"});
  if (!file.empty() && s.sound()) {
    const std::string known = import(s, "file", d, robot);
    if (const Model* made = find_model(models, known)) {
      model = *made;
      models.pop_back();  // it comes back below, with what this entry specifies of it
    }
  }
  model.name = name;
  s.choice<Drive>("drive", model.drive, kDrives);
  read_points(s, "footprint", model.footprint, {-100, 100, "m", false});
  s.number("height", model.height, kRobotSize);
  s.number("mass", model.mass, {0, 1e6, "kg", true});
  s.number("wheel_radius", model.wheel_radius, kRobotSize);
  s.number("half_separation", model.half_separation, kRobotSize);
  s.number("wheelbase", model.wheelbase, kRobotSize);
  s.number("max_steering", model.max_steering, {0, 1.5, "rad", true});
  s.number("max_steering_rate", model.max_steering_rate, {0, 1000, "rad/s", true});
  s.number("max_speed", model.max_speed, {0, 100, "m/s", false});
  s.number("max_turn_rate", model.max_turn_rate, {0, 1000, "rad/s", false});
  s.number("max_acceleration", model.max_acceleration, {0, 1e4, "m/s^2", true});
  s.number("max_turn_acceleration", model.max_turn_acceleration, {0, 1e4, "rad/s^2", true});
  s.duration("command_timeout", model.command_timeout, {milliseconds(1), hours(1)});
  s.number("encoder_noise", model.encoder_noise, {0, 1, "m/s per m/s", false});
  s.texts("joints", model.joints, TextRule::kName);
  s.section("engine", {.scalar_is = "type"}, [&](Section& e) { read_engine(e, model.engine); });
  const std::size_t corners = model.footprint.size();
  if (s.sound() && (corners < 3 || corners > kMaxFootprintCorners || !is_convex(model.footprint)))
    s.refuse("footprint",
             fmt::format("not a convex polygon of 3 to {} corners, counter-clockwise", kMaxFootprintCorners));
  const std::vector<SensorSpec> before = sensors_of(d, like.empty() ? name : like);
  std::vector<SensorSpec> sensors = before;
  if (read_sensors(s, sensors, before, model.name, d)) {
    if (auto ok = check_mounts(d, sensors, model); s.sound() && !ok) s.refuse("sensors", ok.error().message());
    tell_set(d, model.name, sensors);
  }
  d.sensors[model.name] = std::move(sensors);
  models.push_back(std::move(model));
}

std::uint32_t read_name_and_count(Section& s, Group& group) {
  s.text("name", group.name, TextRule::kName, Need::kRequired);
  std::uint32_t count = 1;
  s.integer("count", count, 0, kMaxEntities);
  if (s.has("count")) group.count = count;
  return count;
}

void read_element_shape(Section& s, Draft& d) {
  ElementShape shape;
  s.text("type", shape.type, TextRule::kAny, Need::kRequired);
  s.text("model", shape.model, TextRule::kAny, Need::kRequired);
  if (names_robot_file(shape.model)) shape.model = import(s, "model", d, {shape.model, d.base_dir, {}, {}, {}});
  if (!shape.model.empty() && !find_model(d.setup.models, shape.model) && !d.unnamed_models)
    s.unknown("model", "model", shape.model, names_of(d.setup.models));
  for (const ElementShape& other : d.setup.element_shapes)
    if (other.type == shape.type && !shape.type.empty()) s.refuse("type", "'" + shape.type + "' has a shape already");
  d.setup.element_shapes.push_back(std::move(shape));
}

void read_group(Section& s, Draft& d) {
  Group group;
  const std::uint32_t count = read_name_and_count(s, group);
  EntitySpec& spec = group.spec;
  s.text("model", spec.model, TextRule::kAny, Need::kRequired);
  if (names_robot_file(spec.model)) spec.model = import(s, "model", d, {spec.model, d.base_dir, {}, {}, {}});
  group.where = s.where();
  group.placement_where = s.where("placement"), group.driver_where = s.where("driver");
  s.section("placement", [&](Section& p) {
    read_placement(p, group.placement);
    double z = 0;
    p.number("z", z, {-1000, 1000, "m", false});
    if (p.has("z")) group.placement.z = z;
  });
  if (group.placement.z) {
    const Model* model = find_model(d.setup.models, spec.model);
    if (model && model->files.empty()) s.refuse("placement", "z is for robots from files: others are on the ground");
    if (const auto lift = d.lifts.find(spec.model); lift != d.lifts.end()) *group.placement.z -= lift->second;
  }
  read_keyframe(s, spec, find_model(d.setup.models, spec.model));
  s.texts("tags", spec.tags, TextRule::kName);
  s.text("namespace", spec.ns, TextRule::kPath);
  s.text("frame", spec.frame, TextRule::kPath);
  s.section("driver", {.scalar_is = "kind"}, [&](Section& driver) { read_driver(driver, spec.driver); });
  read_control(s, spec);
  const std::vector<SensorSpec> of_model = sensors_of(d, spec.model);
  const bool named = read_sensors(s, spec.sensors, of_model, spec.model, d);
  if (!named && d.setup.sensors.by_default) spec.sensors = of_model;
  if (const Model* model = find_model(d.setup.models, spec.model); model && s.sound())
    if (auto ok = check_mounts(d, spec.sensors, *model); !ok) {
      if (named) s.refuse("sensors", ok.error().message());
      else spec.sensors.clear();  // somebody's own model by the name of a shipped one
    }
  read_software(s, group);
  s.text("host", spec.host, TextRule::kName);

  const Hosts& hosts = d.run.hosts;
  const bool has_host = std::find(hosts.names.begin(), hosts.names.end(), spec.host) != hosts.names.end();
  if (!spec.model.empty() && !find_model(d.setup.models, spec.model) && !d.unnamed_models)
    s.unknown("model", "model", spec.model, names_of(d.setup.models));
  if (s.sound() && spec.host.empty() && !joins(spec.components) && hosts.placement == HostPlacement::kByName)
    s.refuse("", "the field 'host' is missing; hosts.placement is by_name");
  if (s.sound() && !spec.host.empty() && !has_host)
    s.warn("host", fmt::format("this run has no host '{}'; its robots go round-robin", spec.host));
  if (s.sound() && group.placement.poses && group.placement.poses->poses.size() != count)
    s.refuse("placement", fmt::format("{} poses for {} robots", group.placement.poses->poses.size(), count));
  d.groups.push_back(std::move(group));
}

}  // namespace convoy::scenario
