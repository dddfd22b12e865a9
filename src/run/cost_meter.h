// What a machine tells the server of its work, where sensors are placed by what has been measured (policy: measured).
#pragma once

#include <optional>
#include <utility>

#include "agent/sample_meter.h"
#include "core/ports.h"

namespace convoy {

struct Costs {
  Duration simulated{};  // of the run, in which this was done
  std::uint64_t busy_ns = 0;
  std::vector<SampleSpent> samples;
};
template <class V, MaybeConst<Costs> T>
void fields(V& v, T& c) {
  v("simulated", c.simulated), v("busy_ns", c.busy_ns), v("samples", c.samples);
}

class CostMeter {
 public:
  static constexpr Duration kPeriod = std::chrono::seconds(1);  // of the clock

  explicit CostMeter(std::function<std::uint64_t()> stopwatch) : samples(std::move(stopwatch)) {}

  // What was done since the last report, if it is time for one: at that instant of the run, with all work so far.
  std::optional<Costs> report(Moment now, Instant reached, std::uint64_t busy_ns) {
    if (!samples.runs() || now < due_) return {};
    const bool first = due_ == Moment{};
    due_ = now + kPeriod;
    const Duration simulated = reached - std::exchange(reached_, reached);
    Costs out{simulated, busy_ns - std::exchange(busy_ns_, busy_ns), samples.take()};
    if (first || simulated <= Duration(0)) return {};  // a reset, or a pause
    return out;
  }

  SampleMeter samples;

 private:
  Moment due_{};
  Instant reached_{};
  std::uint64_t busy_ns_ = 0;
};

}  // namespace convoy
