// The sensors of robots, of their models, and what all of them have in common.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/pose.h"
#include "scenario/sections.h"
#include "scenario/sensor_text.h"
#include "sensing/presets.h"
#include "sensing/ranger.h"
#include "sensing/schedule.h"
#include "sensing/sensor.h"
#include "sensing/sweep.h"
#include "sensing/users_parameters.h"

namespace convoy::scenario {

namespace {

constexpr NumberRange kAngle{-1000, 1000, "rad", false};
constexpr NumberRange kNoise{0, 1e3, "", false};
constexpr NumberRange kRange{0, 1e5, "m", false};
constexpr Choice<RayIsa> kIsas[] = {{"sse4.2", RayIsa::kSse42}, {"avx2", RayIsa::kAvx2}, {"avx512", RayIsa::kAvx512}};
constexpr Choice<PictureQuality> kQualities[] = {{"plain", PictureQuality::kPlain}, {"nice", PictureQuality::kNice}};
constexpr Choice<PlacementPolicy> kPolicies[] = {{"svl", PlacementPolicy::kSvl},
                                                 {"measured", PlacementPolicy::kMeasured}};
constexpr Choice<Distribution> kDistributions[] = {{"main_only", Distribution::kMainOnly},
                                                   {"main_or_client", Distribution::kMainOrClient},
                                                   {"client_only", Distribution::kClientOnly}};
enum class Set : std::uint8_t { kDefault, kNone };
constexpr Choice<Set> kSets[] = {{"default", Set::kDefault}, {"none", Set::kNone}};

template <class Model>
void read_range(Section& s, Model& m) {
  s.number("range_min", m.range_min, kRange);
  s.number("range_max", m.range_max, kRange);
}

void read_model(Section& s, ScanModel& m) {
  s.integer("beams", m.beams, 0, ~std::uint32_t{0});
  s.number("angle_min", m.angle_min, kAngle);
  s.number("field", m.field, kAngle);
  read_range(s, m);
  s.number("noise", m.noise, kNoise);
  s.number("noise_share", m.noise_share, kNoise);
  s.flag("intensities", m.intensities);
  s.duration("sweep", m.sweep, {Duration(0), kLongestSweep});
}

void read_model(Section& s, PointsModel& m) {
  auto count = static_cast<std::uint32_t>(m.elevations.size());
  double ends[2] = {0, 0};
  if (count > 0) ends[0] = m.elevations.front(), ends[1] = m.elevations.back();
  s.integer("rings", count, 0, kMaxRings);
  s.numbers("elevations", ends, kAngle);
  if (s.has("rings") || s.has("elevations")) m.elevations = rings(count, ends[0], ends[1]);
  s.integer("columns", m.columns, 0, ~std::uint32_t{0});
  s.number("angle_min", m.azimuth_min, kAngle);
  s.number("field", m.field, kAngle);
  read_range(s, m);
  s.number("noise", m.noise, kNoise);
  s.flag("organized", m.organized);
  s.duration("sweep", m.sweep, {Duration(0), kLongestSweep});
}

void read_model(Section& s, RangerModel& m) {
  s.integer("beams", m.beams, 0, ~std::uint32_t{0});
  s.number("field", m.field, kAngle);
  read_range(s, m);
  s.number("noise", m.noise, kNoise);
}

void read_model(Section& s, RadarModel& m) {
  s.number("azimuth", m.azimuth, kAngle);
  s.number("elevation", m.elevation, kAngle);
  s.integer("columns", m.columns, 0, ~std::uint32_t{0});
  s.integer("rows", m.rows, 0, ~std::uint32_t{0});
  read_range(s, m);
  s.number("range_noise", m.range_noise, kNoise);
  s.number("angle_noise", m.angle_noise, kNoise);
  s.number("speed_noise", m.speed_noise, kNoise);
}

void read_model(Section& s, CameraModel& m) {
  s.integer("width", m.width, 1, kMaxPictureSide);
  s.integer("height", m.height, 1, kMaxPictureSide);
  s.number("field", m.field, kAngle);
  s.numbers("focal", m.focal, {0, 1e6, "pixels", false}, Need::kOptional, 1);
  s.numbers("center", m.center, {-1e6, 1e6, "pixels", false});
  s.numbers("distortion", m.distortion, {-10, 10, "", false});
  s.number("near", m.near, kRange);
  s.number("far", m.far, kRange);
  std::vector<std::string> images;
  s.texts("images", images, TextRule::kName);
  if (s.has("images")) m.color = m.depth = m.numbers = m.classes = false;
  for (const std::string& image : images) {
    if (image == "color") m.color = true;
    else if (image == "depth") m.depth = true;
    else if (image == "instances") m.numbers = true;
    else if (image == "classes") m.classes = true;
    else s.unknown("images", "image of a camera", image, {"color", "depth", "instances", "classes"});
  }
  s.number("noise", m.noise, kNoise);
  s.number("depth_noise", m.depth_noise, kNoise);
  s.flag("others", m.others);
}

void read_model(Section& s, ImuModel& m) {
  s.number("gyro_noise", m.gyro_noise, kNoise);
  s.number("gyro_walk", m.gyro_walk, kNoise);
  s.number("accelerometer_noise", m.accelerometer_noise, kNoise);
  s.number("accelerometer_walk", m.accelerometer_walk, kNoise);
  s.number("orientation_noise", m.orientation_noise, kNoise);
}

void read_model(Section& s, MagneticModel& m) { s.number("noise", m.noise, kNoise); }

void read_model(Section& s, GnssModel& m) {
  s.number("horizontal", m.horizontal, kNoise);
  s.number("vertical", m.vertical, kNoise);
}

void read_model(Section& s, PoseModel& m) {
  std::vector<PoseOrigin> origins;
  s.list("origins", [&](Section& one) {
    PoseOrigin origin;
    double at[3] = {0, 0, 0}, yaw = 0;
    one.text("frame", origin.frame, TextRule::kPath, Need::kRequired);
    one.numbers("at", at, kMetres);
    one.number("yaw", yaw, kAngle);
    origin.X_WO = {{at[0], at[1], at[2]}, from_yaw(yaw)};
    origins.push_back(std::move(origin));
  });
  if (s.has("origins")) m.origins = std::move(origins);
}

void read_model(Section&, OdometryModel&) {}
void read_model(Section&, JointsModel&) {}
void read_model(Section&, KeyboardModel&) {}

void read_model(Section& s, ContactModel& m) {
  s.text("part", m.part);
  s.number("min_force", m.min_force, {0, 1e9, "N", false});
  s.integer("most", m.most, 0, ~std::uint32_t{0});
}

void read_model(Section& s, OverlapModel& m) {
  double size[3] = {m.size.x, m.size.y, m.size.z};
  s.numbers("size", size, kMetres);
  m.size = {size[0], size[1], size[2]};
}

void read_model(Section& s, BatteryModel& m) {
  s.number("capacity", m.capacity, {0, 1e6, "W h", true});
  s.number("charge", m.charge, {0, 1, "", false});
  s.number("idle", m.idle, {0, 1e6, "W", false});
  s.number("per_meter", m.per_meter, {0, 1e9, "J/m", false});
  double voltage[2] = {m.voltage_empty, m.voltage_full};
  s.numbers("voltage", voltage, {0, 1e5, "V", false});
  m.voltage_empty = voltage[0], m.voltage_full = voltage[1];
}

void read_model(Section& s, JoystickModel& m) {
  s.number("linear", m.linear, {0, 1e3, "m/s", true});
  s.number("angular", m.angular, {0, 1e3, "rad/s", true});
}

void read_model(Section& s, EngineSensorModel& m) { s.text("element", m.element); }

// The parameters of one type over those that it has.
template <class Model>
void read_parameters(Section& s, SensorSpec& spec) {
  Model model;
  if (!spec.parameters.empty() && !load(spec.parameters, model)) return;
  read_model(s, model);
  if (!s.sound()) return;
  if (const std::string wrong = problem_of(model); !wrong.empty()) return s.refuse("", wrong);
  spec.parameters = save(model);
}

using Reads = void (*)(Section&, SensorSpec&);
struct TypeFields {
  const char* type;
  Reads read;
};
constexpr TypeFields kFields[] = {
    {"scan", read_parameters<ScanModel>},           {"points", read_parameters<PointsModel>},
    {"range", read_parameters<RangerModel>},        {"radar", read_parameters<RadarModel>},
    {"camera", read_parameters<CameraModel>},       {"imu", read_parameters<ImuModel>},
    {"mag", read_parameters<MagneticModel>},        {"fix", read_parameters<GnssModel>},
    {"pose", read_parameters<PoseModel>},           {"odom", read_parameters<OdometryModel>},
    {"joint_states", read_parameters<JointsModel>}, {"contact", read_parameters<ContactModel>},
    {"overlap", read_parameters<OverlapModel>},     {"battery", read_parameters<BatteryModel>},
    {"keyboard", read_parameters<KeyboardModel>},   {"joy", read_parameters<JoystickModel>},
    {"mujoco", read_parameters<EngineSensorModel>},
};

// What a sensor of a user's library is told: any names, each with a number, several, a truth or a text. Empty: as it
// should be.
std::string read_users_parameter(const std::string& name, const Node& node, UsersParameters& out) {
  UsersParameter one;
  one.name = name;
  const auto number = [&](const Node& item) {
    const auto value = item.kind == Node::Kind::kScalar && !item.quoted ? parse_number(item.text) : std::nullopt;
    if (value) one.numbers.push_back(*value);
    return value.has_value();
  };
  if (node.kind == Node::Kind::kList) {
    one.list = true;
    if (!std::all_of(node.items.begin(), node.items.end(), number)) return "is a list of numbers alone";
  } else if (node.kind != Node::Kind::kScalar) {
    return "is a number, a list of numbers, true, false or a text";
  } else if (!node.quoted && (node.text == "true" || node.text == "false")) {
    one.kind = UsersParameter::Kind::kFlag, one.numbers = {node.text == "true" ? 1.0 : 0.0};
  } else if (!number(node)) {
    one.kind = UsersParameter::Kind::kText, one.text = node.text;
  }
  out.set(std::move(one));
  return {};
}

}  // namespace

void read_users_parameters(Section& s, Bytes& out, const char* what, std::size_t most) {
  const Node* map = s.take("parameters");
  if (!map) return;
  if (map->kind != Node::Kind::kMap)
    return s.refuse("parameters", fmt::format("is a map of the {}'s parameters", what));
  UsersParameters parameters;
  for (std::size_t i = 0; i < map->keys.size(); ++i) {
    const std::string& name = map->keys[i];
    std::string wrong = parameters.find(name) ? "stands there twice" : "";
    if (wrong.empty()) wrong = read_users_parameter(name, map->items[i], parameters);
    if (!wrong.empty()) return s.refuse("parameters", fmt::format("{}: {}", name, wrong));
  }
  out = save(parameters);
  if (out.size() > most)
    s.refuse("parameters", fmt::format("{} bytes, and a {} has {} at most", out.size(), what, most));
}

std::string library_path(const std::string& written) {
  return written.find('/') == std::string::npos ? "./" + written : written;
}

namespace {

std::vector<std::string> types_and_presets() {
  std::vector<std::string> out = sensor_type_names();
  for (const SensorPreset& preset : sensor_presets()) out.emplace_back(preset.name);
  return out;
}

// How often one of that type may sample: at the physics steps of a robot from a file, else at ticks.
struct Grid {
  Duration step{0};
  const char* name = "tick";
};
Grid grid_of(const SensorSpec& spec, const std::string& model, const Draft& d) {
  const SensorType* type = spec.library.empty() ? find_sensor_type(spec.type) : nullptr;
  const auto known = d.steps.find(model);
  if (!type || !type->traits.between || known == d.steps.end() || known->second <= Duration(0) ||
      known->second >= d.setup.tick)
    return {d.setup.tick};
  return {known->second, "physics step"};
}

void read_period(Section& s, SensorSpec& spec, const Grid& grid) {
  double rate = 0;
  s.number("rate", rate, {0, 1e6, "Hz", true});
  s.duration("period", spec.period, {Duration(1), kLongestPeriod});
  s.at_most_one_of({"rate", "period"});
  if (s.has("rate") && s.sound()) spec.period = Duration(std::llround(1e9 / rate));
  const char* named = s.has("rate") ? "rate" : s.has("period") ? "period" : nullptr;
  if (!named && spec.period == Duration(0)) return;  // its library's
  if (spec.period < grid.step) {
    if (named && s.sound())
      s.refuse(named,
               fmt::format("faster than a {} ({}), and it samples once in one at most", grid.name, to_text(grid.step)));
    spec.period = grid.step;
  }
}

void read_when(Section& s, SensorSpec& spec, const Grid& grid) {
  read_period(s, spec, grid);
  s.duration("offset", spec.offset, {Duration(0), kLongestPeriod});
  s.duration("latency", spec.latency, {Duration(0), kLongestPeriod});
}

void read_mount(Section& s, SensorSpec& spec) {
  double at[3] = {spec.X_LS.p.x, spec.X_LS.p.y, spec.X_LS.p.z}, rpy[3] = {0, 0, 0};
  s.text("link", spec.link);
  s.numbers("at", at, kMetres);
  s.numbers("rpy", rpy, kAngle);
  spec.X_LS.p = {at[0], at[1], at[2]};
  if (s.has("rpy"))
    spec.X_LS.q =
        from_axis_angle({0, 0, 1}, rpy[2]) * from_axis_angle({0, 1, 0}, rpy[1]) * from_axis_angle({1, 0, 0}, rpy[0]);
}

// It is mounted as the model's own of its type, if there is one.
void mount_as(SensorSpec& spec, const std::vector<SensorSpec>& of_model) {
  const auto same = [&](const SensorSpec& own) { return own.type == spec.type; };
  const auto own = std::find_if(of_model.begin(), of_model.end(), same);
  if (own != of_model.end()) spec.link = own->link, spec.X_LS = own->X_LS;
}

// Where it may sample. `type`: one of Convoy's; null: a library's.
void read_share(Section& s, const SensorType* type, std::optional<Distribution>& distribution,
                std::optional<std::uint16_t>& load) {
  Distribution chosen = distribution.value_or(Distribution::kMainOnly);
  s.choice<Distribution>("distribution", chosen, kDistributions);
  if (s.has("distribution")) distribution = chosen;
  double share = 0;
  s.number("load", share, {0, 1, "of a machine", false});
  if (s.has("load") && s.sound()) load = static_cast<std::uint16_t>(std::lround(share * kWholeLoad));
  if (type && type->traits.stays() && distribution.value_or(Distribution::kMainOnly) != Distribution::kMainOnly)
    s.refuse("distribution",
             fmt::format("a sensor of type '{}' samples where its robot runs, and nowhere else", type->name));
}

std::optional<SensorSpec> users_sensor(const std::string& type, const std::string& library) {
  SensorSpec out;
  out.type = type, out.name = is_name(type) ? type : "sensor";
  out.library = library_path(library);
  out.period = Duration(0);
  return out;
}

void read_sensor(Section& s, std::vector<SensorSpec>& all, const std::vector<SensorSpec>& of_model,
                 const std::string& model, const Draft& d) {
  std::string type, library;
  s.text("type", type, TextRule::kAny, Need::kRequired);
  s.text("library", library);
  const bool users = !library.empty();
  const auto known = users ? users_sensor(type, library) : sensor_of(type);
  if (!known && !type.empty()) s.unknown("type", "type of sensors", type, types_and_presets());
  SensorSpec spec = known.value_or(SensorSpec{});
  if (users || !s.sound()) read_users_parameters(s, spec.parameters, "sensor", kMaxSensorParameters);
  if (!s.has("link")) mount_as(spec, of_model);
  s.text("name", spec.name, TextRule::kName);
  read_mount(s, spec);
  if (const SensorType* known_type = find_sensor_type(spec.type); !users && known_type && !known_type->traits.placed)
    for (const char* field : {"link", "at", "rpy"})
      if (s.has(field)) s.refuse(field, fmt::format("a sensor of type '{}' is nowhere on its robot", spec.type));
  read_when(s, spec, grid_of(spec, model, d));
  s.flag("see_self", spec.see_self);
  read_share(s, users ? nullptr : find_sensor_type(spec.type), spec.distribution, spec.load);
  for (const TypeFields& fields : kFields)
    if (!known || (!users && spec.type == fields.type)) {
      SensorSpec scratch = spec;
      fields.read(s, known ? spec : scratch);
    }
  if (!known) return;
  EngineSensorModel own;
  if (!users && spec.type == "mujoco" && !s.has("name") && load(spec.parameters, own) && is_name(own.element))
    spec.name = own.element;
  const auto same = [&](const SensorSpec& other) { return other.name == spec.name; };
  if (s.has("name") && std::any_of(all.begin(), all.end(), same))
    return s.refuse("name", fmt::format("this robot has a sensor '{}' already", spec.name));
  make_name_unique(spec, all);
  all.push_back(std::move(spec));
}

}  // namespace

bool read_sensors(Section& s, std::vector<SensorSpec>& out, const std::vector<SensorSpec>& of_model,
                  const std::string& model, const Draft& d) {
  s.section("sensors", {.scalar_is = "set", .list_is = "list"}, [&](Section& sensors) {
    Set set = Set::kNone;
    sensors.choice<Set>("set", set, kSets);
    out.clear();
    if (set == Set::kDefault) out = of_model;
    sensors.list(
        "list", [&](Section& one) { read_sensor(one, out, of_model, model, d); }, kMaxSensors, "type");
    if (sensors.sound() && out.size() > kMaxSensors)
      sensors.refuse("", fmt::format("a robot has {} sensors at most", kMaxSensors));
  });
  return s.has("sensors");
}

namespace {

void read_types(Section& s, std::vector<SensorTypeRule>& out) {
  s.list("types", [&](Section& one) {
    SensorTypeRule rule;
    one.text("type", rule.type, TextRule::kName, Need::kRequired);
    const SensorType* type = find_sensor_type(rule.type);
    if (!type && !rule.type.empty()) one.unknown("type", "type of sensors", rule.type, sensor_type_names());
    std::optional<Distribution> distribution;
    read_share(one, type, distribution, rule.load);
    rule.distribution = distribution.value_or(Distribution::kMainOnly);
    const auto same = [&](const SensorTypeRule& other) { return other.type == rule.type; };
    if (std::any_of(out.begin(), out.end(), same)) return one.refuse("type", "stands there twice");
    out.push_back(std::move(rule));
  });
}

}  // namespace

void read_sensor_rules(Section& s, Draft& d) {
  SensorRules& rules = d.setup.sensors;
  s.section("sensors", [&](Section& sensors) {
    sensors.choice<RayIsa>("isa", rules.isa, kIsas);
    double origin[3] = {0, 0, 0};
    sensors.numbers("origin", origin, {-1e5, 1e5, "degrees north, degrees east, m", false}, Need::kOptional, 1);
    rules.origin = {origin[0], origin[1], origin[2]};
    if (const std::string wrong = problem_of(rules.origin); sensors.sound() && !wrong.empty())
      sensors.refuse("origin", wrong);
    double field[3] = {rules.magnetic_field.x, rules.magnetic_field.y, rules.magnetic_field.z};
    sensors.numbers("magnetic_field", field, {-10, 10, "T", false});
    rules.magnetic_field = {field[0], field[1], field[2]};
    sensors.flag("stagger", rules.stagger);
    sensors.choice<PictureQuality>("pictures", rules.pictures, kQualities);
    sensors.choice<PlacementPolicy>("policy", rules.policy, kPolicies);
    if (sensors.has("types")) rules.types.clear();
    read_types(sensors, rules.types);
  });
  rules.by_default = s.has("sensors");
  std::vector<std::string> digest;
  s.texts("digest", digest, TextRule::kName);
  for (const std::string& part : digest) {
    if (part == "messages") d.setup.nodes.digest_messages = true;
    else if (part == "sensors") rules.digest = true;
    else if (part != "state") s.unknown("digest", "part of a digest", part, {"state", "messages", "sensors"});
  }
}

// Only where its robot runs is it known which parameters a user's sensor has.
void read_users_change(Section& s, const Node& root, bool (*is_parameter)(const std::string&), const SensorSpec& spec,
                       SetSensor& out) {
  UsersParameters parameters;
  if (!spec.parameters.empty() && !load(spec.parameters, parameters)) return;
  bool any = false;
  for (std::size_t i = 0; i < root.keys.size(); ++i) {
    if (!is_parameter(root.keys[i])) continue;
    any = s.take(root.keys[i].c_str()) != nullptr;
    if (const std::string wrong = read_users_parameter(root.keys[i], root.items[i], parameters); !wrong.empty())
      return s.refuse(root.keys[i].c_str(), wrong);
  }
  if (any) out.parameters = save(parameters);
}

Result<SetSensor> read_sensor_change(std::string_view yaml, const SensorSpec& spec, Duration tick) {
  const std::string file = "sensor '" + spec.name + "'";
  const auto root = parse_yaml(yaml, file);
  if (!root) return tl::unexpected(root.error());
  Document document(file);
  SetSensor out;
  out.sensor = spec.name;
  Section::read(document, *root, [&](Section& s) {
    SensorSpec now = spec;
    read_period(s, now, {std::min(tick, spec.period > Duration(0) ? spec.period : tick)});
    if (s.has("rate") || s.has("period")) out.period = now.period;
    bool on = true;
    s.flag("on", on);
    if (s.has("on")) out.on = on;
    const auto is_parameter = [](const std::string& key) { return key != "rate" && key != "period" && key != "on"; };
    if (!spec.library.empty()) return read_users_change(s, *root, is_parameter, now, out);
    const auto fields = std::find_if(std::begin(kFields), std::end(kFields),
                                     [&](const TypeFields& known) { return spec.type == known.type; });
    if (fields != std::end(kFields)) fields->read(s, now);
    if (std::any_of(root->keys.begin(), root->keys.end(), is_parameter)) out.parameters = now.parameters;
  });
  if (const auto errors = document.errors(); !errors.empty()) return tl::unexpected(errors.front());
  return out;
}

Status check_mounts(const Draft& d, const std::vector<SensorSpec>& sensors, const Model& model) {
  if (std::all_of(sensors.begin(), sensors.end(), [](const SensorSpec& spec) { return spec.link.empty(); })) return {};
  ModelFiles files;
  for (const Bytes& bytes : d.setup.files) add(files, bytes);
  const auto shapes = shapes_of(model, files);
  if (!shapes) return tl::unexpected(shapes.error());
  for (const SensorSpec& spec : sensors)
    if (auto ok = check_mount(spec, *shapes); !ok)
      return fail(ok.error().code, fmt::format("'{}': {}", spec.name, ok.error().message()));
  return {};
}

}  // namespace convoy::scenario
