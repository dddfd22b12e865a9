// A robot's sensors by name, and what is told of one to who asks which there are.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/json_fields.h"
#include "core/nearest.h"
#include "sensing/sensor.h"

namespace convoy {

struct SensorFacts {
  std::string sensor;  // its name
  std::string type;
  std::string library;  // of the user's that has the type; empty: Convoy has
  std::string message;  // of ROS, that its samples become; empty: known only where the robot runs
  double period = 0;    // s; 0: its type's own
};
template <class V, MaybeConst<SensorFacts> T>
void fields(V& v, T& f) {
  v("sensor", f.sensor), v("type", f.type), v("library", f.library), v("message", f.message), v("period", f.period);
}

// That one of a robot's; `robot` is what messages call it. Errors: it has none of that name.
inline Result<const SensorSpec*> sensor_named(std::span<const SensorSpec> sensors, std::string_view name,
                                              const std::string& robot) {
  std::vector<std::string> known;
  for (const SensorSpec& spec : sensors) {
    if (spec.name == name) return &spec;
    known.push_back(spec.name);
  }
  const std::string near = nearest_name(name, known);
  return fail(ErrorCode::kNotFound, robot + " has no sensor '" + std::string(name.substr(0, 140)) + "'" +
                                        (near.empty() ? "" : "; did you mean '" + near + "'?"));
}

inline SensorFacts facts_of(const SensorSpec& spec) {
  const SensorType* type = spec.library.empty() ? find_sensor_type(spec.type) : nullptr;
  return {spec.name, spec.type, spec.library, type ? type->message : "", seconds(spec.period)};
}

}  // namespace convoy
