#include "core/hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace convoy {

#if defined(CONVOY_HASH_AVX2)
std::uint64_t hash64_avx2(const void* data, std::size_t size, std::uint64_t seed);  // hash_avx2.cc
#endif

std::uint64_t hash64(ByteView bytes, std::uint64_t seed) {
#if defined(CONVOY_HASH_AVX2)
  constexpr std::size_t kLong = 240;  // shorter ones have no vectors
  static const bool wide = __builtin_cpu_supports("avx2") != 0;
  if (bytes.size() > kLong && wide) return hash64_avx2(bytes.data(), bytes.size(), seed);
#endif
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

std::uint64_t chain(std::uint64_t hash, std::uint64_t next) {
  const std::uint64_t both[2] = {hash, next};
  return XXH3_64bits(both, sizeof both);
}

std::string hex16(std::uint64_t v) {
  std::string text(16, '0');
  for (int i = 15; i >= 0; --i, v >>= 4) text[static_cast<std::size_t>(i)] = "0123456789abcdef"[v & 15];
  return text;
}

}  // namespace convoy
