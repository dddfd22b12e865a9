// What a call says of a robot's sensor, as YAML: the fields of the scenario's `sensors` that it changes.
//
//   {rate: 5, noise: 0.02}      {on: false}
#pragma once

#include <string_view>

#include "convoy/result.h"
#include "world/sensor_spec.h"
#include "world/traffic.h"

namespace convoy::scenario {

// `spec`: as the scenario has the sensor; parameters that are not named are as they stand there, if any is. `entity` is left
// to the caller. Errors: kInvalid: unknown fields, values out of range, a period shorter than a tick.
Result<SetSensor> read_sensor_change(std::string_view yaml, const SensorSpec& spec, Duration tick);

}  // namespace convoy::scenario
