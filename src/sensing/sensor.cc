#include "sensing/sensor.h"

#include <algorithm>
#include <cmath>

#include "core/math.h"
#include "core/nearest.h"
#include "core/pose.h"
#include "sensing/ranger.h"
#include "sensing/sweep.h"

namespace convoy {

namespace {

Noise noise_of(const SampleKey& key) { return {key.seed, key.robot, key.sensor, key.index}; }

template <class Model>
concept Sweeps = requires(Model m) {
  m.sweep;
};
std::size_t columns_of(const ScanModel& m) { return m.beams; }
std::size_t columns_of(const PointsModel& m) { return m.columns; }

// What the beams of a model meet.
struct Cast {
  std::vector<Beam> beams;
  std::vector<Hit> hits;
};
template <class Model>
Cast cast(const Model& model, std::span<const Vec3> directions, const SensorView& view) {
  double near = 0;
  if constexpr (std::is_same_v<Model, RadarModel>) near = model.range_min;
  Cast out{{}, std::vector<Hit>(directions.size())};
  if constexpr (Sweeps<Model>)
    if (model.sweep > Duration(0))
      out.beams = swept(directions, columns_of(model), model.sweep, view.X_WS, view.v_WS_W, near, model.range_max);
  if (out.beams.empty()) out.beams = aimed(directions, view.X_WS, near, model.range_max);
  view.field->cast(out.beams, view.see_self ? kNoEntity : view.key.robot, out.hits);
  return out;
}

// How fast a point of an entity moves that is rigid but for its joints, which are not known to move it here.
Vec3 speed_of(const World& world, WorldNumber number, const Vec3& p_W) {
  const Slot slot = number == kNoEntity ? kNoSlot : world.slot_of(number);
  if (slot == kNoSlot) return {};
  const State& state = world.snapshot().state(slot);
  return state.twist.v + cross(state.twist.w, p_W - state.pose.p);
}

// What comes back of each beam: the brightness of what it met times the cosine at which it met it; 0: nothing.
std::vector<float> intensities_of(const Cast& cast, const RayField& field) {
  std::vector<float> out(cast.hits.size());
  for (std::size_t i = 0; i < out.size(); ++i)
    if (cast.hits[i].any())
      out[i] = static_cast<float>(-dot(field.normal(cast.beams[i], cast.hits[i]), cast.beams[i].direction) *
                                  field.brightness(cast.hits[i]));
  return out;
}

SampleData sample_of(const ScanModel& m, const Cast& cast, const SensorView& view) {
  Scan out = scan_of(m, cast.hits, noise_of(view.key));
  if (!m.intensities) return out;
  out.intensities = intensities_of(cast, *view.field);
  for (std::size_t i = 0; i < out.ranges.size(); ++i)
    if (!std::isfinite(out.ranges[i])) out.intensities[i] = 0;
  return out;
}

SampleData sample_of(const PointsModel& m, const Cast& cast, const SensorView& view) {
  return cloud_of(m, cast.hits, intensities_of(cast, *view.field), noise_of(view.key));
}

SampleData sample_of(const RangerModel& m, const Cast& cast, const SensorView& view) {
  return RangeReading{range_of(m, cast.hits, noise_of(view.key)), m.range_min, m.range_max, m.field};
}

SampleData sample_of(const RadarModel& m, const Cast& cast, const SensorView& view) {
  std::vector<Reflection> met(cast.hits.size());
  for (std::size_t i = 0; i < met.size(); ++i) {
    const Beam& beam = cast.beams[i];
    const Hit& hit = met[i].hit = cast.hits[i];
    if (!hit.any()) continue;
    met[i].v_W = speed_of(*view.world, hit.number, beam.origin + hit.range * beam.direction);
    met[i].cosine = -dot(view.field->normal(beam, hit), beam.direction);
  }
  return RadarScan{returns_of(m, met, view.X_WS, view.v_WS_W.v, noise_of(view.key))};
}

SampleData sample_of(const CameraModel& m, const SensorView& view) {
  return reading_of(m, view.picture ? *view.picture : CameraPicture{}, noise_of(view.key));
}

SampleData sample_of(const ImuModel& m, const SensorView& view) {
  return imu_of(m, {view.X_WS.q, view.v_WS_W.w, view.a_WS_W}, view.gravity, view.key);
}

SampleData sample_of(const MagneticModel& m, const SensorView& view) {
  return MagneticReading{magnetic_field_of(view.rules->magnetic_field, view.X_WS.q, m.noise, view.key),
                         m.noise * m.noise};
}

SampleData sample_of(const GnssModel& m, const SensorView& view) {
  return fix_of(m, view.rules->origin, view.X_WS.p, noise_of(view.key));
}

SampleData sample_of(const PoseModel& m, const SensorView& view) { return pose_of(m, view.X_WS, view.v_WS_W); }

SampleData sample_of(const OdometryModel&, const SensorView& view) { return view.inside->odometry(); }
SampleData sample_of(const JointsModel&, const SensorView& view) { return view.inside->joints(); }
SampleData sample_of(const ContactModel& m, const SensorView& view) { return touches_of(m, view); }
SampleData sample_of(const KeyboardModel&, const SensorView& view) { return KeysReading{view.inside->keys()}; }

SampleData sample_of(const OverlapModel& m, const SensorView& view, OverlapModel::Memory& memory) {
  return overlaps_of(m, view, memory);
}

SampleData sample_of(const BatteryModel& m, const SensorView& view) {
  const Vec3& v = view.v_WS_W.v;
  return battery_of(m, view.age, view.inside->distance(), std::sqrt(v.x * v.x + v.y * v.y));
}

SampleData sample_of(const JoystickModel& m, const SensorView& view) {
  return stick_of(m, view.inside->told(), view.inside->keys());
}

SampleData sample_of(const EngineSensorModel& m, const SensorView& view) {
  return EngineReading{m.element, view.inside->engine_sensor(m.element).value_or(std::vector<double>())};
}

std::string problem_with(const EngineSensorModel& m, const RobotInside& inside) {
  const std::vector<std::string> names = inside.engine_sensors();
  if (std::find(names.begin(), names.end(), m.element) != names.end()) return {};
  if (names.empty()) return "its robot's physics has no sensors";
  const std::string near = nearest_name(m.element, names);
  return "its robot's file has no sensor '" + m.element + "'" + (near.empty() ? "" : "; did you mean '" + near + "'?");
}

template <class Model>
concept Remembers = requires {
  typename Model::Memory;
};

template <class Model>
class Modelled final : public Sensor {
 public:
  explicit Modelled(Model model) : model_(std::move(model)) {
    if constexpr (requires { directions_of(model_); }) directions_ = directions_of(model_);
  }
  SampleData sample(const SensorView& view, [[maybe_unused]] Bytes& memory) const override {
    if constexpr (requires { directions_of(model_); }) {
      return sample_of(model_, cast(model_, directions_, view), view);
    } else if constexpr (Remembers<Model>) {
      typename Model::Memory before;
      if (!memory.empty() && !load(memory, before)) before = {};
      SampleData out = sample_of(model_, view, before);
      memory = save(before);
      return out;
    } else {
      return sample_of(model_, view);
    }
  }
  Shot shot([[maybe_unused]] const SensorView& view) const override {
    if constexpr (std::is_same_v<Model, CameraModel>) return shot_of(model_, view.X_WS, view.key.robot, view.see_self);
    else return {};
  }
  Duration sweep() const override {
    if constexpr (Sweeps<Model>) return model_.sweep;
    else return Duration(0);
  }
  std::string problem([[maybe_unused]] const RobotInside& inside) const override {
    if constexpr (requires { problem_with(model_, inside); }) return problem_with(model_, inside);
    else return {};
  }

 private:
  Model model_;
  std::vector<Vec3> directions_;  // of its beams, if it casts some
};

// What a type is without parameters.
template <class Model>
Model plain() {
  Model model;
  if constexpr (std::is_same_v<Model, PointsModel>)
    model.elevations = rings(16, -math::kPi / 12, math::kPi / 12);  // 30 degrees
  return model;
}

template <class Model>
Bytes default_of() {
  return save(plain<Model>());
}

template <class Model>
Result<std::unique_ptr<const Sensor>> made_of(const SensorType&, ByteView bytes) {
  Model model = plain<Model>();
  if (!bytes.empty() && !load(bytes, model)) return fail(ErrorCode::kInvalid, "its parameters are malformed");
  if (const std::string wrong = problem_of(model); !wrong.empty()) return fail(ErrorCode::kInvalid, wrong);
  return std::make_unique<Modelled<Model>>(std::move(model));
}

template <class Model>
constexpr SensorType type(const char* name, const char* message, SensorTraits traits, int period_ms = 100) {
  traits.remembers = Remembers<Model>;
  return {name, message, traits, std::chrono::milliseconds(period_ms), default_of<Model>, made_of<Model>, name};
}

constexpr SensorTraits kLidar{.load = kWholeLoad, .rays = true};
constexpr SensorTraits kCasts{.load = kWholeLoad / 5, .rays = true};
constexpr SensorTraits kSees{.load = kWholeLoad, .pictures = true};
constexpr SensorTraits kAtOnce{.distribution = Distribution::kMainOnly, .load = kWholeLoad / 20, .between = true};
constexpr SensorTraits kFeels{.distribution = Distribution::kMainOnly, .acceleration = true, .between = true};
constexpr SensorTraits kInside{.distribution = Distribution::kMainOnly, .inside = true};
constexpr SensorTraits kNowhere{.distribution = Distribution::kMainOnly, .inside = true, .placed = false};
constexpr SensorTraits kJoints{
    .distribution = Distribution::kMainOnly, .inside = true, .placed = false, .between = true};
constexpr SensorType kTypes[] = {
    type<ScanModel>("scan", "sensor_msgs/msg/LaserScan", kLidar),
    type<PointsModel>("points", "sensor_msgs/msg/PointCloud2", kLidar),
    type<RangerModel>("range", "sensor_msgs/msg/Range", kCasts),
    type<RadarModel>("radar", "sensor_msgs/msg/PointCloud2", kCasts),
    type<CameraModel>("camera", "sensor_msgs/msg/Image", kSees),
    type<ImuModel>("imu", "sensor_msgs/msg/Imu", kFeels, 10),
    type<MagneticModel>("mag", "sensor_msgs/msg/MagneticField", kAtOnce),
    type<GnssModel>("fix", "sensor_msgs/msg/NavSatFix", kAtOnce),
    type<PoseModel>("pose", "nav_msgs/msg/Odometry", kAtOnce),
    type<OdometryModel>("odom", "nav_msgs/msg/Odometry", kNowhere, 50),
    type<JointsModel>("joint_states", "sensor_msgs/msg/JointState", kJoints, 50),
    type<ContactModel>("contact", "convoy_msgs/msg/Contacts", kInside, 50),
    type<OverlapModel>("overlap", "convoy_msgs/msg/Overlaps", kInside),
    type<BatteryModel>("battery", "sensor_msgs/msg/BatteryState", kNowhere, 1000),
    type<KeyboardModel>("keyboard", "std_msgs/msg/UInt32", kNowhere, 50),
    type<JoystickModel>("joy", "sensor_msgs/msg/Joy", kNowhere, 50),
    type<EngineSensorModel>("mujoco", "std_msgs/msg/Float64MultiArray", kNowhere),
};

}  // namespace

std::span<const SensorType> sensor_types() { return kTypes; }

const SensorType* find_sensor_type(std::string_view name) {
  const auto at =
      std::find_if(std::begin(kTypes), std::end(kTypes), [&](const SensorType& t) { return t.name == name; });
  return at == std::end(kTypes) ? nullptr : &*at;
}

std::vector<std::string> sensor_type_names() {
  std::vector<std::string> out;
  for (const SensorType& one : kTypes) out.emplace_back(one.name);
  return out;
}

Result<const SensorType*> SensorBook::type_of(const SensorSpec& spec, CodeSource source) const {
  if (!spec.library.empty())
    return users_ ? users_->find(spec.library, spec.type, source)
                  : fail(ErrorCode::kUnsupported, "libraries of sensors are not loaded here", spec.library);
  if (const SensorType* type = find_sensor_type(spec.type)) return type;
  const std::string near = nearest_name(spec.type, sensor_type_names());
  return fail(ErrorCode::kNotFound, "there is no type of sensors '" + spec.type + "'" +
                                        (near.empty() ? "" : "; did you mean '" + near + "'?"));
}

Result<std::shared_ptr<const Sensor>> SensorBook::of(const SensorSpec& spec, CodeSource source) {
  const auto type = type_of(spec, source);
  if (!type) return tl::unexpected(type.error());
  const std::pair key{*type, spec.parameters};
  const auto known = known_.find(key);
  if (known != known_.end()) return known->second;
  auto made = (*type)->make(**type, spec.parameters);
  if (!made) return tl::unexpected(made.error());
  return known_.emplace(key, std::move(*made)).first->second;
}

SensorOnRobot first_that(std::span<const EntitySpec> robots, const SensorBook& types, bool SensorTraits::*works) {
  for (const EntitySpec& robot : robots)
    for (const SensorSpec& sensor : robot.sensors)
      if (const auto type = types.type_of(sensor); type && (*type)->traits.*works) return {&robot, &sensor};
  return {};
}

Status check_mount(const SensorSpec& spec, const Shapes& shapes) {
  if (spec.link.empty()) return {};
  std::vector<std::string> names;
  for (const Link& link : shapes.links) {
    if (link.name == spec.link) return {};
    names.push_back(link.name);
  }
  const std::string near = nearest_name(spec.link, names);
  return fail(ErrorCode::kNotFound,
              "its robot has no link '" + spec.link + "'" + (near.empty() ? "" : "; did you mean '" + near + "'?"));
}

}  // namespace convoy
