// Puts back a part of the world: entities of its beginning, to where they began; those that came since, away.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "adapters/ros2/ask.h"
#include "adapters/ros2/robot_door.h"
#include "adapters/ros2/simulation_results.h"

namespace convoy::ros2 {

inline constexpr std::size_t kNamesInCall = 5000;  // whatever their lengths, they fit into a frame

struct PartialResetScope {
  bool state = false;    // of the entities that the run began with
  bool spawned = false;  // all others go, but the bodies of outside programs' elements
};

class PartialReset : public std::enable_shared_from_this<PartialReset> {
 public:
  using Respond = std::function<void(SimResult)>;
  static void begin(DoorHere& here, PartialResetScope scope, Respond respond);

 private:
  struct Call {
    const char* method;
    std::vector<std::string> names;
  };
  PartialReset(DoorHere& here, Respond respond) : here_(here), respond_(std::move(respond)) {}
  void plan(PartialResetScope scope, std::uint32_t begun_with);
  void go_on();
  void answered(const Answer& answer, bool deleting);

  DoorHere& here_;
  Respond respond_;
  std::vector<Call> calls_;  // the last one comes first
  std::size_t failures_ = 0;
  std::string why_;  // the first of them failed
};

}  // namespace convoy::ros2
