// What is told of a sensor to who asks which there are.
#pragma once

#include <string>

#include "core/json_fields.h"
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

inline SensorFacts facts_of(const SensorSpec& spec) {
  const SensorType* type = spec.library.empty() ? find_sensor_type(spec.type) : nullptr;
  return {spec.name, spec.type, spec.library, type ? type->message : "", seconds(spec.period)};
}

}  // namespace convoy
