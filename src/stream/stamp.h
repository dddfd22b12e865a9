// The wall clock in a picture, as bright and dark squares: how long a picture takes to be seen can be read from it.
//
// 48 squares of 16 pixels in rows of at most 640 pixels from the upper left corner: 40 bits of Unix time in ms, lowest
// first, and 8 that are their sum of bytes; a 1 is white.
#pragma once

#include <cstdint>

#include "core/bytes.h"

namespace convoy::stream {

inline constexpr std::uint32_t kStampSide = 16, kStampBits = 48;

// Of that width, at least 16; what does not fit in is left out.
void stamp(Bytes& rgb, std::uint32_t width, std::uint64_t unix_ms);

}  // namespace convoy::stream
