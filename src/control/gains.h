// Gains of one actuator's controller, as a program outside the run wants them.
#pragma once

#include <optional>
#include <string>

namespace convoy::control {

struct GainPatch {
  std::string actuator;
  std::optional<double> kp, kv, torque_limit;  // what is absent stays as it is
};

}  // namespace convoy::control
