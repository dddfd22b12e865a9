#include "stream/bitrate.h"

#include <algorithm>

namespace convoy::stream {

bool Bitrate::take(std::span<const PlayerReport> reports) {
  double worst = 0;
  for (const PlayerReport& one : reports)
    if (one.given) worst = std::max(worst, one.fraction_lost);
  const std::uint32_t before = kbit();
  if (worst >= kMuch) kbit_ = std::max(static_cast<double>(most_) / kFloor, kbit_ * kLess);
  else if (worst <= kLittle) kbit_ = std::min(static_cast<double>(most_), kbit_ * kMore);
  return kbit() != before;
}

std::optional<std::uint32_t> Bitrate::news() {
  if (2 * kbit() > said_ && (kbit() < most_ || said_ == most_)) return std::nullopt;
  said_ = kbit();
  return said_;
}

}  // namespace convoy::stream
