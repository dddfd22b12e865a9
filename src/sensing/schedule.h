// When a sensor samples: sample n is due at its beginning + offset + n x period.
//
// Its beginning is when its robot was made, or reset: then it counts from 0 again. Distributable sensors sample at the
// first boundary at or after that instant, others at the first physics step.
#pragma once

#include <cstdint>

#include "convoy/ids.h"
#include "convoy/time.h"
#include "core/fields.h"

namespace convoy {

struct Schedule {
  Instant beginning{};
  Duration offset{0};
  Duration period = std::chrono::milliseconds(100);  // above 0

  friend bool operator==(const Schedule&, const Schedule&) = default;

  Instant due(std::uint64_t sample) const { return beginning + offset + static_cast<std::int64_t>(sample) * period; }
  // The first sample that is due at that instant or later.
  std::uint64_t first_from(Instant now) const {
    const Duration since = now - beginning - offset;
    return since <= Duration(0) ? 0 : static_cast<std::uint64_t>((since + period - Duration(1)) / period);
  }
  // How many are due after `begin` and at `end` or before: those that sample at a grid's instant `end`.
  std::uint64_t count_in(Instant begin, Instant end) const {
    return end < begin ? 0 : first_from(end + Duration(1)) - first_from(begin + Duration(1));
  }
};

template <class V, MaybeConst<Schedule> T>
void fields(V& v, T& s) {
  v("beginning", s.beginning), v("offset", s.offset), v("period", s.period);
}

// Spreads sensors of one period over it by their robots' numbers, so that they do not all sample at one instant: an
// offset from 0 to below the period (Knuth's multiplicative hashing).
inline Duration staggered(WorldNumber robot, Duration period) {
  const std::uint64_t spread = (std::uint64_t{robot.value()} * 2654435769u) & 0xffffffffu;
  const auto share = static_cast<double>(spread) * 0x1p-32;
  return Duration(static_cast<std::int64_t>(share * static_cast<double>(nanos(period))));
}

}  // namespace convoy
