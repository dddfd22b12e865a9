#include "sensing/noise.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace convoy {

Noise::Noise(std::uint64_t seed, WorldNumber robot, std::string_view sensor, std::uint64_t sample)
    : random_{stream_key(seed, robot.value(), std::string("sensor ").append(sensor)), sample * kBlocksOfSample} {}

double Noise::normal() {
  if (has_kept_) {
    has_kept_ = false;
    return kept_;
  }
  const NormalPair pair = random_.normals();
  kept_ = pair.second, has_kept_ = true;
  return pair.first;
}

double walk(std::uint64_t seed, WorldNumber robot, std::string_view what, std::uint64_t steps) {
  const std::uint64_t key = stream_key(seed, robot.value(), std::string("walk ").append(what));
  // Each cut has the middle's number, which no other cut has.
  const auto drawn = [key](std::uint64_t middle) { return Random{key, middle}.normal(); };
  std::uint64_t low = 0, high = kMaxWalk;
  double at_low = 0, at_high = std::sqrt(static_cast<double>(kMaxWalk)) * drawn(kMaxWalk);
  steps = std::min(steps, kMaxWalk);
  while (steps != low && steps != high) {
    const std::uint64_t middle = low + (high - low) / 2;
    const double at_middle = (at_low + at_high) / 2 + std::sqrt(static_cast<double>(high - low)) / 2 * drawn(middle);
    (steps < middle ? high : low) = middle;
    (steps < middle ? at_high : at_low) = at_middle;
  }
  return steps == low ? at_low : at_high;
}

}  // namespace convoy
