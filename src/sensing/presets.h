// Sensors that one can buy, by the numbers of their data sheets, and what shipped robots carry.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "world/sensor_rules.h"

namespace convoy {

struct SensorPreset {
  const char* name;
  const char* type;
  Duration period;
  Bytes (*parameters)();
};
std::span<const SensorPreset> sensor_presets();
const SensorPreset* find_sensor_preset(std::string_view name);  // null: there is none

// A sensor of a type or preset with all that it has by default; its name is the type's. Nothing: there is no such.
std::optional<SensorSpec> sensor_of(std::string_view type_or_preset);
// Gives it a name that the others do not have: its own, or with a number from 2 on.
void make_name_unique(SensorSpec& sensor, std::span<const SensorSpec> others);

// The set that a robot of a shipped model carries; empty: none.
std::vector<SensorSpec> sensors_of_model(std::string_view model);
// What a robot of that model carries in a run: what the scenario gives its model, or what the model does; no sensor of it
// samples more often than once in a tick.
std::vector<SensorSpec> sensors_of_model(std::string_view model, const SensorRules& rules, Duration tick);

}  // namespace convoy
