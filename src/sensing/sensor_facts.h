// What is told of a sensor to who asks which there are.
#pragma once

#include <string>

#include "core/json_fields.h"
#include "sensing/sensor.h"

namespace convoy {

struct SensorFacts {
  std::string sensor;  // its name
  std::string type;
  std::string message;  // of ROS, that its samples become; empty: this build does not know its type
  double period = 0;    // s
};
template <class V, MaybeConst<SensorFacts> T>
void fields(V& v, T& f) {
  v("sensor", f.sensor), v("type", f.type), v("message", f.message), v("period", f.period);
}

inline SensorFacts facts_of(const SensorSpec& spec) {
  const SensorType* type = find_sensor_type(spec.type);
  return {spec.name, spec.type, type ? type->message : "", seconds(spec.period)};
}

}  // namespace convoy
