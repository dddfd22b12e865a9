// tf2's times: nanoseconds since 1970, as std::chrono has them. Zero means: the latest that there is.
#pragma once

#include <chrono>
#include <string>

namespace tf2 {

using Duration = std::chrono::nanoseconds;
using TimePoint = std::chrono::time_point<std::chrono::system_clock, Duration>;
using IDuration = std::chrono::duration<int, std::nano>;
inline const TimePoint TimePointZero{};

inline Duration durationFromSec(double seconds) {
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
}
inline TimePoint timeFromSec(double seconds) { return TimePoint(durationFromSec(seconds)); }
inline double durationToSec(const Duration& d) { return std::chrono::duration<double>(d).count(); }
inline double timeToSec(const TimePoint& t) { return durationToSec(t.time_since_epoch()); }
std::string displayTimePoint(const TimePoint& time);  // seconds, with 6 digits behind the point

}  // namespace tf2
