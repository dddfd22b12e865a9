// The determinism benchmark as a job: its components are loaded from the library beside this one.
#pragma once

#include <array>
#include <functional>

#include <memory>
#include <vector>

#include "convoy/result.h"
#include "convoy_ros/job.hpp"

namespace convoy::ros {

struct DeterminismOutcome {
  std::array<std::uint64_t, 4> states{};  // of A, B, C and D
  std::uint64_t combined = 0;
  std::uint64_t callbacks = 0;  // without those of the monitor
  std::uint64_t digest = 0;
};

// 100 s from T0 = 10 s. `overdue`: nodes are made at 0, as RSLCPP does.
Result<DeterminismOutcome> run_determinism(TimerOrder order, bool overdue, const std::function<bool()>& stop = {});

// The same components as parts of several agents: each copy is the whole benchmark, whole or cut into two groups.
class DeterminismNodes {
 public:
  static Result<std::unique_ptr<DeterminismNodes>> load(std::size_t copies);
  virtual ~DeterminismNodes() = default;
  // Of one group: 1 or 2; 0: all of it, with the monitor that ends it after 100 s.
  virtual std::vector<Component> components(std::uint32_t group) const = 0;
  // Nodes that are made from now on, on this thread, belong to this copy: to be said before each.
  virtual void begin(std::size_t copy) = 0;
  // Once its nodes are gone.
  virtual DeterminismOutcome outcome(std::size_t copy) const = 0;
};

// Delays on all its topics and its service: what makes it possible to cut it.
std::vector<DelayRule> determinism_delays();
// With these delays, in one agent, for 100 s.
Result<DeterminismOutcome> run_determinism_delayed(const std::function<bool()>& stop = {});

// Our own benchmark for 60 s: fan-out, fan-in, queues that overflow, cancelled timers, actions, a managed node; with
// delays of several kinds besides, or without. `states` is not used.
Result<DeterminismOutcome> run_extended(bool delayed, const std::function<bool()>& stop = {});

}  // namespace convoy::ros
