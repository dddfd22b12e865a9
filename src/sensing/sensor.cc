#include "sensing/sensor.h"

#include <algorithm>

#include "core/math.h"
#include "core/nearest.h"
#include "core/pose.h"
#include "sensing/ranger.h"

namespace convoy {

namespace {

Noise noise_of(const SampleKey& key) { return {key.seed, key.robot, key.sensor, key.index}; }

std::vector<Hit> cast(const SensorView& view, std::span<const Beam> beams) {
  std::vector<Hit> hits(beams.size());
  view.field->cast(beams, view.see_self ? kNoEntity : view.key.robot, hits);
  return hits;
}

// How fast a point of an entity moves that is rigid but for its joints, which are not known to move it here.
Vec3 speed_of(const World& world, WorldNumber number, const Vec3& p_W) {
  const Slot slot = number == kNoEntity ? kNoSlot : world.slot_of(number);
  if (slot == kNoSlot) return {};
  const State& state = world.snapshot().state(slot);
  return state.twist.v + cross(state.twist.w, p_W - state.pose.p);
}

SampleData sample_of(const ScanModel& m, const SensorView& view) {
  return scan_of(m, cast(view, beams_of(m, view.X_WS)), noise_of(view.key));
}

SampleData sample_of(const PointsModel& m, const SensorView& view) {
  const std::vector<Beam> beams = beams_of(m, view.X_WS);
  const std::vector<Hit> hits = cast(view, beams);
  std::vector<float> intensities(hits.size());
  for (std::size_t i = 0; i < hits.size(); ++i)
    if (hits[i].any())
      intensities[i] = static_cast<float>(-dot(view.field->normal(beams[i], hits[i]), beams[i].direction));
  return cloud_of(m, hits, intensities, noise_of(view.key));
}

SampleData sample_of(const RangerModel& m, const SensorView& view) {
  return RangeReading{range_of(m, cast(view, beams_of(m, view.X_WS)), noise_of(view.key)), m.range_min, m.range_max,
                      m.field};
}

SampleData sample_of(const RadarModel& m, const SensorView& view) {
  const std::vector<Beam> beams = beams_of(m, view.X_WS);
  const std::vector<Hit> hits = cast(view, beams);
  std::vector<Reflection> met(hits.size());
  for (std::size_t i = 0; i < hits.size(); ++i) {
    met[i].hit = hits[i];
    if (!hits[i].any()) continue;
    met[i].v_W = speed_of(*view.world, hits[i].number, beams[i].origin + hits[i].range * beams[i].direction);
    met[i].cosine = -dot(view.field->normal(beams[i], hits[i]), beams[i].direction);
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
  explicit Modelled(Model model) : model_(std::move(model)) {}
  SampleData sample(const SensorView& view) const override { return sample_of(model_, view); }

 private:
  Model model_;
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
