// Packing of a chunk's bytes: not at all, zstd frames or LZ4 frames.
//
// The packed bytes are the same for the same input and library version; another version of zstd or lz4 may pack
// differently, and unpacks to the same.
#pragma once

#include <cstdint>
#include <string_view>

#include "convoy/result.h"
#include "core/bytes.h"

namespace convoy {

enum class Compression : std::uint8_t { kNone, kZstd, kLz4 };

// The most that one call unpacks. A larger claim is refused before anything is allocated.
inline constexpr std::uint64_t kMaxUnpacked = 64u << 20;

// The names of the MCAP registry: "", "zstd", "lz4".
std::string_view compression_name(Compression compression);
Result<Compression> compression_of(std::string_view name);

Result<Bytes> pack(Compression compression, ByteView plain);

// The `size` bytes that `packed` contains, unpacked. Fails if they are more or fewer, or if the claim is beyond
// kMaxUnpacked or beyond what the format can make of so few bytes.
Result<Bytes> unpack(Compression compression, ByteView packed, std::uint64_t size);

}  // namespace convoy
