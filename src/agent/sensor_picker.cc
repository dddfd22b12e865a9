#include "agent/sensor_picker.h"

#include <algorithm>

namespace convoy {

// The last star so far takes one character more whenever what follows it does not fit.
bool matches(std::string_view pattern, std::string_view text) {
  std::size_t p = 0, t = 0, star = std::string_view::npos, taken = 0;
  while (t < text.size()) {
    if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t]) && pattern[p] != '*') {
      ++p, ++t;
    } else if (p < pattern.size() && pattern[p] == '*') {
      star = p++, taken = t;
    } else if (star != std::string_view::npos) {
      p = star + 1, t = ++taken;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

std::optional<Duration> SensorPicker::every_of(const std::string& robot, const SensorSpec& sensor) const {
  const std::string name = robot + "/" + sensor.name;
  for (const SensorChoice& choice : choices_)
    if (matches(choice.pattern, name)) return choice.every;
  return {};
}

void SensorPicker::follow(const World& world) {
  if (choices_.empty() || structure_ == world.structure_hash()) return;
  structure_ = world.structure_hash();
  robots_.clear();
  for (const Entity& entity : world.entities()) {
    Robot robot{entity.name, {}};
    for (const SensorSpec& sensor : entity.kind->sensors)
      if (const auto every = every_of(entity.name, sensor)) robot.every[sensor.name] = *every;
    if (!robot.every.empty()) robots_.emplace(entity.number, std::move(robot));
  }
}

bool SensorPicker::wants(WorldNumber robot, const SensorSpec& sensor, const DueSample& due) const {
  const auto known = robots_.find(robot);
  if (known == robots_.end()) return false;
  const auto every = known->second.every.find(sensor.name);
  if (every == known->second.every.end()) return false;
  const std::int64_t period = std::max<std::int64_t>(1, nanos(due.period));
  return due.index %
             static_cast<std::uint64_t>(std::max<std::int64_t>(1, (nanos(every->second) + period / 2) / period)) ==
         0;
}

const std::string* SensorPicker::name_of(WorldNumber robot) const {
  const auto known = robots_.find(robot);
  return known == robots_.end() ? nullptr : &known->second.name;
}

}  // namespace convoy
