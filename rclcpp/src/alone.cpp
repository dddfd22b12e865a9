#include "alone.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <thread>

#include "nodes/delay.h"
#include "os/real_calls.h"

namespace convoy::ros {
namespace {

class AlonePace final : public Pace {
 public:
  AlonePace(Instant end, double speed) : end_(end), speed_(speed) {}
  void begin(Simulation& simulation) { simulation_ = &simulation; }

  bool wait(Instant until) override {
    const Instant next = std::min(simulation_->graph().next(), until);
    const bool over = next > end_ || next == nodes::kNoInstant;
    if (over && end_ == nodes::kNoInstant) return false;  // nothing will ever happen
    keep_pace(std::min(next, end_));
    simulation_->begin_instant(std::min(next, end_));
    return !over;
  }
  void done(const Status& instant) override {
    if (!instant) throw std::runtime_error(instant.error().message());
  }

 private:
  void keep_pace(Instant next) {
    if (speed_ <= 0) return;
    const os::RealCalls real;
    using Clock = std::chrono::steady_clock;
    if (!begun_) begun_ = Clock::now();
    const double seconds = static_cast<double>(nanos(next)) / 1e9 / speed_;
    std::this_thread::sleep_until(*begun_ +
                                  std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds)));
  }

  Simulation* simulation_ = nullptr;
  Instant end_;
  double speed_;  // 0: it waits for nobody
  std::optional<std::chrono::steady_clock::time_point> begun_;
};

[[noreturn]] void refuse(const char* variable, const char* value, const std::string& what) {
  std::fprintf(stderr, "convoy: %s: '%s' %s\n", variable, value, what.c_str());
  std::exit(2);
}

}  // namespace

std::unique_ptr<Pace> pace_from_environment() {
  const char* duration = std::getenv("CONVOY_DURATION");
  const char* speed = std::getenv("CONVOY_SPEED");
  Instant end = nodes::kNoInstant;
  if (duration && *duration) {
    const auto length = nodes::parse_duration(duration);
    if (!length) refuse("CONVOY_DURATION", duration, "is no time, as 60s");
    end = Instant{} + *length;
  }
  double times = 0;
  if (speed && *speed && std::strcmp(speed, "max") != 0) {
    char* rest = nullptr;
    times = std::strtod(speed, &rest);
    if (*rest != '\0' || !(times > 0) || !std::isfinite(times))
      refuse("CONVOY_SPEED", speed, "is neither a number above 0 nor max");
  }
  if (end == nodes::kNoInstant && times <= 0) return nullptr;
  return std::make_unique<AlonePace>(end, times);
}

void begin_pace(Pace& pace, Simulation& simulation) { static_cast<AlonePace&>(pace).begin(simulation); }

}  // namespace convoy::ros
