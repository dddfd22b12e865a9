// CRC-32 as in IEEE 802.3, gzip and MCAP: reflected polynomial 0xEDB88320, all ones before and after.
#pragma once

#include <cstdint>

#include "core/bytes.h"

namespace convoy {

// The CRC of `bytes`; or, given the CRC of what came before, of the two together.
std::uint32_t crc32(ByteView bytes, std::uint32_t before = 0);

}  // namespace convoy
