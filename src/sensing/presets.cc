#include "sensing/presets.h"

#include <algorithm>

#include "core/math.h"
#include "sensing/sensor.h"

namespace convoy {

namespace {

using std::chrono::milliseconds;

// ROBOTIS LDS-01: 120 mm to 3.5 m, +-15 mm near and +-5 % far; noise as TurtleBot 3's own simulation has it.
Bytes lds_01() { return save(ScanModel{.beams = 360, .range_min = 0.12, .range_max = 3.5, .noise = 0.01}); }
// Hokuyo UST-10LX and UST-20LX: 270 degrees in steps of 0.25, repeatable to 30 mm (three deviations).
Bytes hokuyo(double range_max) {
  return save(ScanModel{.beams = 1081,
                        .angle_min = -135 * math::kDegree,
                        .field = 270 * math::kDegree,
                        .range_min = 0.06,
                        .range_max = range_max,
                        .noise = 0.01});
}
// Slamtec RPLIDAR A2M8: 8000 samples a second at 10 Hz in its fast mode, 4000 in the one that drivers use.
Bytes rplidar() { return save(ScanModel{.beams = 400, .range_min = 0.15, .range_max = 12, .noise_share = 0.005}); }
// Ouster OS0-32: 90 degrees of 32 rings, 1024 columns.
Bytes os0_32() {
  return save(PointsModel{.elevations = rings(32, -45 * math::kDegree, 45 * math::kDegree),
                          .columns = 1024,
                          .range_min = 0.3,
                          .range_max = 50,
                          .noise = 0.015});
}
// Velodyne VLP-16: rings 2 degrees apart, 1800 columns at 10 Hz, +-3 cm.
Bytes vlp_16() {
  return save(PointsModel{.elevations = rings(16, -15 * math::kDegree, 15 * math::kDegree),
                          .columns = 1800,
                          .range_min = 0.4,
                          .range_max = 100,
                          .noise = 0.01});
}

constexpr SensorPreset kPresets[] = {
    {"lds_01", "scan", milliseconds(200), lds_01},
    {"hokuyo_10lx", "scan", milliseconds(25), [] { return hokuyo(10); }},
    {"hokuyo_20lx", "scan", milliseconds(25), [] { return hokuyo(20); }},
    {"rplidar_a2m8", "scan", milliseconds(100), rplidar},
    {"os0_32", "points", milliseconds(100), os0_32},
    {"vlp_16", "points", milliseconds(100), vlp_16},
};

struct Carried {
  const char* model;
  const char* sensor;
  const char* link;
  Vec3 at;
};
// Where TurtleBot 3's description has them, above its base_footprint.
constexpr Carried kCarried[] = {
    {"turtlebot3_burger", "lds_01", "", {-0.032, 0, 0.182}},
    {"turtlebot3_burger", "imu", "", {0, 0, 0.078}},
    {"turtlebot3_burger", "odom", "", {}},
    {"turtlebot3_waffle", "lds_01", "", {-0.064, 0, 0.132}},
    {"turtlebot3_waffle", "imu", "", {0, 0, 0.078}},
    {"turtlebot3_waffle", "odom", "", {}},
    {"rover", "vlp_16", "chassis", {0, 0, 0.35}},
    {"rover", "imu", "chassis", {}},
    {"rover", "fix", "chassis", {-0.15, 0, 0.2}},
    {"rover", "odom", "", {}},
    {"humanoid", "imu", "torso", {}},
    {"humanoid", "vlp_16", "torso", {0, 0, 0.55}},
    {"quadruped", "imu", "trunk", {}},
};

}  // namespace

std::span<const SensorPreset> sensor_presets() { return kPresets; }

const SensorPreset* find_sensor_preset(std::string_view name) {
  const auto at =
      std::find_if(std::begin(kPresets), std::end(kPresets), [&](const SensorPreset& p) { return p.name == name; });
  return at == std::end(kPresets) ? nullptr : &*at;
}

std::optional<SensorSpec> sensor_of(std::string_view type_or_preset) {
  SensorSpec out;
  if (const SensorPreset* preset = find_sensor_preset(type_or_preset)) {
    out.type = preset->type, out.period = preset->period, out.parameters = preset->parameters();
  } else if (const SensorType* type = find_sensor_type(type_or_preset)) {
    out.type = type->name, out.parameters = type->default_model(), out.period = type->period;
  } else {
    return {};
  }
  out.name = out.type;
  return out;
}

void make_name_unique(SensorSpec& sensor, std::span<const SensorSpec> others) {
  const std::string name = sensor.name;
  const auto taken = [&] {
    return std::any_of(others.begin(), others.end(), [&](const SensorSpec& o) { return o.name == sensor.name; });
  };
  for (int n = 2; taken(); ++n) sensor.name = name + std::to_string(n);
}

std::vector<SensorSpec> sensors_of_model(std::string_view model) {
  std::vector<SensorSpec> out;
  for (const Carried& one : kCarried) {
    if (one.model != model) continue;
    SensorSpec spec = *sensor_of(one.sensor);
    spec.link = one.link, spec.X_LS.p = one.at;
    make_name_unique(spec, out);
    out.push_back(std::move(spec));
  }
  return out;
}

std::vector<SensorSpec> sensors_of_model(std::string_view model, const SensorRules& rules, Duration tick) {
  const auto own =
      std::find_if(rules.sets.begin(), rules.sets.end(), [&](const auto& set) { return set.model == model; });
  if (own != rules.sets.end()) return own->sensors;
  std::vector<SensorSpec> out = sensors_of_model(model);
  for (SensorSpec& spec : out) spec.period = std::max(spec.period, tick);
  return out;
}

}  // namespace convoy
