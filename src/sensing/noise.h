// The noise of sensors: a pure function of the run's seed, the robot, the sensor and the number of the sample.
//
//   Noise noise(seed, number, "imu", sample);
//   double x = 0.3 + 0.01 * noise.normal();
//   double bias = 1e-4 * walk(seed, number, "imu/gyro_x", sample);
//
// So a sample is the same wherever and whenever it is computed, whatever others were: nothing is drawn from a stream.
#pragma once

#include <string_view>

#include "convoy/ids.h"
#include "core/random.h"

namespace convoy {

// How many blocks of numbers a sample may draw until it comes to those of the next one.
inline constexpr std::uint64_t kBlocksOfSample = 1ull << 32;

class Noise {
 public:
  Noise(std::uint64_t seed, WorldNumber robot, std::string_view sensor, std::uint64_t sample);
  // Standard normal, independent from one call to the next.
  double normal();
  double uniform() { return random_.uniform(); }  // in [0, 1)

 private:
  Random random_;
  double kept_ = 0;  // the second of a pair
  bool has_kept_ = false;
};

// Where a random walk with standard normal steps is after so many of them: 0 at 0, its variance their number. Any step
// at the price of forty, none of them before it (a Brownian bridge cut in halves; Levy's construction). `what` names the
// walk: walks of different names are independent.
double walk(std::uint64_t seed, WorldNumber robot, std::string_view what, std::uint64_t steps);
inline constexpr std::uint64_t kMaxWalk = 1ull << 40;  // steps; longer ones stay where they are then

}  // namespace convoy
