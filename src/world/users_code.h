// What a run needs of users' code, whatever its parameters: what a machine must have to run it.
#pragma once

#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "world/component_classes.h"
#include "world/entity_spec.h"
#include "world/sensor_rules.h"

namespace convoy {

// The different classes of its robots' components.
inline std::vector<ComponentSpec> component_classes(std::span<const EntitySpec> robots) {
  ComponentClasses classes;
  for (const EntitySpec& entity : robots) classes.add(entity.components);
  return classes.all();
}

// One sensor of each type of a user's library: theirs, and of robots that come later.
inline std::vector<SensorSpec> users_sensors(std::span<const EntitySpec> robots, const SensorRules& rules) {
  std::vector<SensorSpec> out;
  std::set<std::pair<std::string, std::string>> known;
  const auto add = [&](const std::vector<SensorSpec>& all) {
    for (const SensorSpec& spec : all)
      if (!spec.library.empty() && known.emplace(spec.library, spec.type).second) out.push_back(spec);
  };
  for (const EntitySpec& entity : robots) add(entity.sensors);
  for (const SensorSet& set : rules.sets) add(set.sensors);
  return out;
}

// From which files it is loaded is no part of what an entity is.
inline void forget_libraries(EntitySpec& spec) {
  for (ComponentSpec& component : spec.components) component.library.clear();
  for (SensorSpec& sensor : spec.sensors) sensor.library.clear();
}

}  // namespace convoy
