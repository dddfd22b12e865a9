// The determinism benchmark as a job: its components are loaded from the library that stands beside this one.
#pragma once

#include <array>
#include <functional>

#include "convoy/result.h"
#include "nodes/timer.h"

namespace convoy::ros {

struct DeterminismOutcome {
  std::array<std::uint64_t, 4> states{};  // of A, B, C and D
  std::uint64_t combined = 0;
  std::uint64_t callbacks = 0;  // without those of the monitor
  std::uint64_t digest = 0;
};

// 100 s from T0 = 10 s. `overdue`: nodes are made at 0, as RSLCPP does.
Result<DeterminismOutcome> run_determinism(nodes::TimerOrder order, bool overdue, const std::function<bool()>& stop = {});

}  // namespace convoy::ros
