// Simulated time, and the host's own clock: two types that do not mix.
#pragma once

#include <chrono>
#include <cstdint>

namespace convoy {

using Duration = std::chrono::nanoseconds;  // int64 nanoseconds, of either clock

// Simulated time: nanoseconds since the start of the scenario. Never read from anywhere, always given.
struct SimClock {
  using duration = Duration;
  using rep = Duration::rep;
  using period = Duration::period;
  using time_point = std::chrono::time_point<SimClock>;
};
using Instant = SimClock::time_point;

// The host's monotonic clock, as src/os reads it. Sessions, pacing and liveness use it; no state ever does.
struct HostClock {
  using duration = Duration;
  using rep = Duration::rep;
  using period = Duration::period;
  using time_point = std::chrono::time_point<HostClock>;
};
using Moment = HostClock::time_point;

// The number of a tick; tick k is [k * length, (k + 1) * length). Boundary k is the instant at which it begins.
using Tick = std::int64_t;

inline constexpr Moment kNever = Moment::max();

constexpr std::int64_t nanos(Duration d) { return d.count(); }
constexpr std::int64_t nanos(Instant t) { return t.time_since_epoch().count(); }
constexpr Instant instant(std::int64_t ns) { return Instant(Duration(ns)); }
constexpr double seconds(Duration d) { return static_cast<double>(d.count()) * 1e-9; }
constexpr double seconds(Instant t) { return seconds(t.time_since_epoch()); }

}  // namespace convoy
