// XXH3-64, the hash of digests and content addresses; the same bits on every processor.
#pragma once

#include <cstdint>

#include "core/bytes.h"

namespace convoy {

std::uint64_t hash64(ByteView bytes, std::uint64_t seed = 0);

// Folds one more value into a running hash; order matters.
std::uint64_t chain(std::uint64_t hash, std::uint64_t next);

// 16 lower-case hex digits.
std::string hex16(std::uint64_t v);

}  // namespace convoy
