#include "sensing/sensor.h"

#include <algorithm>

#include "core/math.h"
#include "core/nearest.h"
#include "core/pose.h"
#include "sensing/ranger.h"

namespace convoy {

namespace {

Noise noise_of(const SampleKey& key) { return {key.seed, key.robot, key.sensor, key.index}; }

// What the beams of a model meet.
struct Cast {
  std::vector<Beam> beams;
  std::vector<Hit> hits;
};
template <class Model>
Cast cast(const Model& model, std::span<const Vec3> directions, const SensorView& view) {
  double near = 0;
  if constexpr (std::is_same_v<Model, RadarModel>) near = model.range_min;
  Cast out{aimed(directions, view.X_WS, near, model.range_max), std::vector<Hit>(directions.size())};
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

SampleData sample_of(const ScanModel& m, const Cast& cast, const SensorView& view) {
  return scan_of(m, cast.hits, noise_of(view.key));
}

SampleData sample_of(const PointsModel& m, const Cast& cast, const SensorView& view) {
  std::vector<float> intensities(cast.hits.size());
  for (std::size_t i = 0; i < cast.hits.size(); ++i)
    if (cast.hits[i].any())
      intensities[i] =
          static_cast<float>(-dot(view.field->normal(cast.beams[i], cast.hits[i]), cast.beams[i].direction));
  return cloud_of(m, cast.hits, intensities, noise_of(view.key));
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

SampleData sample_of(const PoseModel&, const SensorView& view) {
  return PoseReading{view.X_WS, rotated(view.X_WS.q.conjugate(), view.v_WS_W)};
}

template <class Model>
class Modelled final : public Sensor {
 public:
  explicit Modelled(Model model) : model_(std::move(model)) {
    if constexpr (requires { directions_of(model_); }) directions_ = directions_of(model_);
  }
  SampleData sample(const SensorView& view) const override {
    if constexpr (requires { directions_of(model_); }) return sample_of(model_, cast(model_, directions_, view), view);
    else return sample_of(model_, view);
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
Result<std::unique_ptr<const Sensor>> made_of(ByteView bytes) {
  Model model = plain<Model>();
  if (!bytes.empty() && !load(bytes, model)) return fail(ErrorCode::kInvalid, "its parameters are malformed");
  if (const std::string wrong = problem_of(model); !wrong.empty()) return fail(ErrorCode::kInvalid, wrong);
  return std::make_unique<Modelled<Model>>(std::move(model));
}

template <class Model>
constexpr SensorType type(const char* name, const char* message, bool rays, bool immediate, bool acceleration = false) {
  return {name, message, rays, immediate, acceleration, default_of<Model>, made_of<Model>};
}

constexpr SensorType kTypes[] = {
    type<ScanModel>("scan", "sensor_msgs/msg/LaserScan", true, false),
    type<PointsModel>("points", "sensor_msgs/msg/PointCloud2", true, false),
    type<RangerModel>("range", "sensor_msgs/msg/Range", true, false),
    type<RadarModel>("radar", "sensor_msgs/msg/PointCloud2", true, false),
    type<ImuModel>("imu", "sensor_msgs/msg/Imu", false, true, true),
    type<MagneticModel>("mag", "sensor_msgs/msg/MagneticField", false, true),
    type<GnssModel>("fix", "sensor_msgs/msg/NavSatFix", false, true),
    type<PoseModel>("pose", "nav_msgs/msg/Odometry", false, true),
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

Result<std::unique_ptr<const Sensor>> make_sensor(const SensorSpec& spec) {
  const SensorType* type = find_sensor_type(spec.type);
  if (!type) {
    const std::string near = nearest_name(spec.type, sensor_type_names());
    return fail(ErrorCode::kNotFound, "there is no type of sensors '" + spec.type + "'" +
                                          (near.empty() ? "" : "; did you mean '" + near + "'?"));
  }
  return type->make(spec.parameters);
}

Result<std::shared_ptr<const Sensor>> SensorBook::of(const SensorSpec& spec) {
  const std::pair key{spec.type, spec.parameters};
  const auto known = known_.find(key);
  if (known != known_.end()) return known->second;
  auto made = make_sensor(spec);
  if (!made) return tl::unexpected(made.error());
  return known_.emplace(key, std::move(*made)).first->second;
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
