// Counter-based random streams: Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC11).
//
//   Random rng(seed, stream_of(world_number, "encoder"));
//   double u = rng.uniform();        // [0, 1)
//
// A stream is a value of two words (key, counter): it can be hashed, saved and restored, and two streams with different
// keys never share numbers. The distributions are our own, because those of the standard library differ by vendor.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/fields.h"

namespace convoy {

// The key of a stream: what it is for, never who runs it.
std::uint64_t stream_key(std::uint64_t seed, std::uint64_t subject, std::string_view purpose);

// One block of Philox4x32-10, 128 bits for (key, counter); the pure function that everything here is based on.
struct PhiloxBlock {
  std::uint64_t low, high;
};
PhiloxBlock philox(std::uint64_t key, std::uint64_t counter, std::uint64_t counter_high = 0);

struct NormalPair {
  double first, second;
};

struct Random {
  std::uint64_t key = 0;
  std::uint64_t counter = 0;  // blocks drawn so far

  friend bool operator==(const Random&, const Random&) = default;

  std::uint64_t bits() { return philox(key, counter++).low; }
  // Uniform in [0, 1), 53 bits.
  double uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  // Uniform in [0, n), without modulo bias beyond 2^-64 (Lemire's multiply-shift); n > 0.
  std::uint64_t below(std::uint64_t n);
  // Two independent standard normals by Box-Muller with our own log, sin and cos, from one block; or only the first.
  NormalPair normals();
  double normal() { return normals().first; }
};
template <class V, MaybeConst<Random> T>
void fields(V& v, T& r) {
  v("key", r.key), v("counter", r.counter);
}

}  // namespace convoy
