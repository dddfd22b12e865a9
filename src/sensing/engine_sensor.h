// A sensor of a robot's own file, as its physics engine computes it: MuJoCo's, by name.
#pragma once

#include <string>
#include <vector>

#include "core/fields.h"

namespace convoy {

struct EngineSensorModel {
  std::string element;  // its name in the file
  friend bool operator==(const EngineSensorModel&, const EngineSensorModel&) = default;
};
template <class V, MaybeConst<EngineSensorModel> T>
void fields(V& v, T& m) {
  v("element", m.element);
}
inline std::string problem_of(const EngineSensorModel& model) {
  return model.element.empty() ? "element is the name of a sensor in the robot's file" : "";
}

struct EngineReading {
  std::string element;
  std::vector<double> values;  // in the engine's units
};
template <class V, MaybeConst<EngineReading> T>
void fields(V& v, T& e) {
  v("element", e.element), v("values", e.values);
}

}  // namespace convoy
