// XXH3 of long inputs with 256-bit vectors: the same bits, in about half the time. Compiled for AVX2, so it includes
// nothing of which another file could get the inline functions.
#if defined(__AVX2__)

#include <stddef.h>
#include <stdint.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace convoy {

uint64_t hash64_avx2(const void* data, size_t size, uint64_t seed) {
  const uint64_t hash = XXH3_64bits_withSeed(data, size, seed);
  _mm256_zeroupper();  // GCC 12 leaves it out here; without it all SSE code that follows runs at half speed
  return hash;
}

}  // namespace convoy

#endif
