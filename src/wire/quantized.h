// Quantised states: 25 bytes for what others need to see of an entity, for the best-effort wire.
//
//   bit    0      20       24       46       68     88      90      123    162    198
//          |number| discon | x      | y      | z    | big   | 3 x 11| 3x13 v| 3x12 w| 2 zero
//
// Positions are millimetres from the batch's origin, x and y within 2,097 m of it, z within 524 m. The orientation is
// "smallest three": the largest component is left out (its number in `big`), the others are 11 bits of [-1, 1]/sqrt(2).
// Velocities are world-frame, 1 cm/s up to 40.95 m/s and 0.01 rad/s up to 20.47 rad/s, clamped. The discontinuity count
// is kept modulo 16. All numbers are two's complement, least significant bit first. Error: at most 0.5 mm per axis and
// 0.11 degrees.
#pragma once

#include <array>
#include <cstdint>

#include "world/snapshot.h"

namespace convoy {

inline constexpr std::size_t kQuantizedSize = 25;
using QuantizedState = std::array<std::uint8_t, kQuantizedSize>;

// Where a batch's positions count from: whole metres.
struct BatchOrigin {
  std::int32_t x = 0, y = 0;
  friend bool operator==(const BatchOrigin&, const BatchOrigin&) = default;
};
inline constexpr WorldNumber kMaxQuantizedNumber{(1u << 20) - 1};

// False if the state does not fit: too far from the origin, number too large, or not finite.
bool quantize(const State& state, WorldNumber number, const BatchOrigin& origin, std::uint8_t* out);

struct Dequantized {
  WorldNumber number;
  std::uint8_t discontinuity = 0;  // modulo 16
  Pose pose;
  Twist twist;
};
// Every 25 bytes mean something.
Dequantized dequantize(const std::uint8_t* in, const BatchOrigin& origin);

// An origin near the state, on a grid, so that neighbours share one.
BatchOrigin origin_for(const State& state);

}  // namespace convoy
