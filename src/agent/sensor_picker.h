// Which samples somebody wants who names sensors by patterns of "robot/sensor".
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/sample_taker.h"
#include "core/fields.h"
#include "world/world.h"

namespace convoy {

struct SensorChoice {
  std::string pattern;  // of "robot/sensor"; * stands for any characters, ? for one
  Duration every{};     // of simulated time from one sample to the next, about; 0: all
  friend bool operator==(const SensorChoice&, const SensorChoice&) = default;
};
template <class V, MaybeConst<SensorChoice> T>
void fields(V& v, T& c) {
  v("pattern", c.pattern), v("every", c.every);
}

bool matches(std::string_view pattern, std::string_view text);

class SensorPicker {
 public:
  // Of several choices that match the first one counts.
  explicit SensorPicker(std::vector<SensorChoice> choices = {}) : choices_(std::move(choices)) {}

  const std::vector<SensorChoice>& choices() const { return choices_; }
  // Samples of that sensor are wanted this far apart, about, in simulated time; nothing: none are.
  std::optional<Duration> every_of(const std::string& robot, const SensorSpec& sensor) const;
  // Robots are those of this world from now on.
  void follow(const World& world);
  bool wants(WorldNumber robot, const SensorSpec& sensor, const DueSample& due) const;
  // Of a robot with sensors that are wanted; else null.
  const std::string* name_of(WorldNumber robot) const;

 private:
  struct Robot {
    std::string name;
    std::map<std::string, Duration> every;  // by the names of sensors that are wanted
  };
  std::vector<SensorChoice> choices_;
  std::map<WorldNumber, Robot> robots_;
  std::optional<std::uint64_t> structure_;  // of the world that these are of
};

}  // namespace convoy
