// Somebody who pauses a run now and then, steps it a little, and lets it go on.
#pragma once

#include "core/random.h"
#include "testing/rig.h"

namespace convoy::testing {

class TimeCalls {
 public:
  // Both outlive it.
  TimeCalls(std::uint64_t seed, SimNet& net, Caller& caller) : random_{seed, 0}, net_(net), caller_(caller) {}

  // Pauses, unless it is at it already.
  void begin();
  // Checks for answers; call it after every turn of the network.
  void listen();
  std::uint64_t pauses() const { return pauses_; }  // that were carried out
  std::uint64_t steps() const { return steps_; }

 private:
  void ask(const proto::Request& request);

  Random random_;
  SimNet& net_;
  Caller& caller_;
  std::size_t received_ = 0;
  enum class Phase : std::uint8_t { kIdle, kPausing, kStepping, kResuming } phase_ = Phase::kIdle;
  std::uint64_t steps_left_ = 0, pauses_ = 0, steps_ = 0;
};

}  // namespace convoy::testing
