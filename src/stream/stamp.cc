#include "stream/stamp.h"

#include <algorithm>

namespace convoy::stream {

void stamp(Bytes& rgb, std::uint32_t width, std::uint64_t unix_ms) {
  constexpr std::uint64_t kTime = (std::uint64_t{1} << 40) - 1;
  std::uint64_t bits = unix_ms & kTime, sum = 0;
  for (int i = 0; i < 5; ++i) sum += (bits >> (8 * i)) & 0xff;
  bits |= (sum & 0xff) << 40;
  const std::uint32_t in_row = std::min(width, 640U) / kStampSide;
  for (std::uint32_t bit = 0; bit < kStampBits; ++bit) {
    const std::size_t x = std::size_t{bit % in_row} * kStampSide, y = std::size_t{bit / in_row} * kStampSide;
    for (std::size_t row = y; row < y + kStampSide; ++row) {
      const std::size_t at = 3 * (row * width + x);
      if (at + 3 * kStampSide > rgb.size()) return;
      std::fill_n(rgb.begin() + static_cast<std::ptrdiff_t>(at), 3 * kStampSide, ((bits >> bit) & 1) != 0 ? 0xff : 0);
    }
  }
}

}  // namespace convoy::stream
