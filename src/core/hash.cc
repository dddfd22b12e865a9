#include "core/hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace convoy {

std::uint64_t hash64(ByteView bytes, std::uint64_t seed) {
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
