#include "core/random.h"

#include <cmath>

#include "core/bytes.h"
#include "core/check.h"
#include "core/hash.h"
#include "core/math.h"

namespace convoy {

std::uint64_t stream_key(std::uint64_t seed, std::uint64_t subject, std::string_view purpose) {
  return chain(chain(hash64(as_bytes(purpose)), subject), seed);
}

PhiloxBlock philox(std::uint64_t key, std::uint64_t counter, std::uint64_t counter_high) {
  std::uint32_t c0 = static_cast<std::uint32_t>(counter), c1 = static_cast<std::uint32_t>(counter >> 32);
  std::uint32_t c2 = static_cast<std::uint32_t>(counter_high), c3 = static_cast<std::uint32_t>(counter_high >> 32);
  std::uint32_t k0 = static_cast<std::uint32_t>(key), k1 = static_cast<std::uint32_t>(key >> 32);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p0 = std::uint64_t{0xD2511F53} * c0, p1 = std::uint64_t{0xCD9E8D57} * c2;
    c0 = static_cast<std::uint32_t>(p1 >> 32) ^ c1 ^ k0;
    c1 = static_cast<std::uint32_t>(p1);
    c2 = static_cast<std::uint32_t>(p0 >> 32) ^ c3 ^ k1;
    c3 = static_cast<std::uint32_t>(p0);
    k0 += 0x9E3779B9;
    k1 += 0xBB67AE85;
  }
  return {c0 | std::uint64_t{c1} << 32, c2 | std::uint64_t{c3} << 32};
}

std::uint64_t Random::below(std::uint64_t n) {
  EXPECTS(n > 0);
  return static_cast<std::uint64_t>((static_cast<unsigned __int128>(bits()) * n) >> 64);
}

NormalPair Random::normals() {
  const PhiloxBlock block = philox(key, counter++);
  const double u = static_cast<double>((block.low >> 11) + 1) * 0x1p-53;  // (0, 1]: the logarithm exists
  const double angle = static_cast<double>(block.high >> 11) * 0x1p-53 * (2 * math::kPi);
  const double radius = std::sqrt(-2 * math::log(u));
  double sine, cosine;
  math::sincos(angle, sine, cosine);
  return {radius * cosine, radius * sine};
}

}  // namespace convoy
