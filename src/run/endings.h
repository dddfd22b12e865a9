// What agents have reported of their own ends: software that has come to its end, physics that has given up.
#pragma once

#include <string>
#include <vector>

#include "world/traffic.h"
#include "world/world.h"

namespace convoy {

// The software of an agent has come to its end.
struct Ending {
  WorldNumber agent = kNoEntity;
  std::string name;  // of the entity
  int exit_code = 0;
  std::string why;   // an error, for people
  bool run = false;  // the run ends with it
};

// The physics of an agent has given up: it no longer moves, and the run goes on. Or it is not to be trusted, or a sensor
// of it is missing.
struct AgentFault {
  enum class What : std::uint8_t { kStandsStill, kNotExact, kSensor };
  WorldNumber agent = kNoEntity;
  std::string name;  // of the entity
  std::string why;
  Tick tick = 0;  // the boundary from which on it is so
  What what = What::kStandsStill;
};

inline constexpr std::size_t kMaxFaultsKept = 1000;  // of one run; more are not listed

class Endings {
 public:
  // Notes a message of an agent, if it reports one of these. True: the whole run is to end.
  bool note(const Message& message, const World& world, Tick tick);
  // True: all agents that have software and an owner have reported its end.
  bool all_software_ended(const World& world) const;
  void clear() {
    software_.clear();
    forget_faults();
  }
  void forget_faults() { faults_.clear(); }

  const std::vector<Ending>& software() const { return software_; }  // by boundary, then by agent
  const std::vector<AgentFault>& faults() const { return faults_; }  // of this run, in their order

 private:
  std::vector<Ending> software_;
  std::vector<AgentFault> faults_;
};

}  // namespace convoy
