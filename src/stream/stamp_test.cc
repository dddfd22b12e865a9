#include "stream/stamp.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

namespace stamp_test {

using namespace convoy;
using namespace convoy::stream;

TEST_CASE("the time is read back from the squares' middles, with the sum of its bytes") {
  constexpr std::uint64_t kTime = 0x123456789a;
  for (const std::uint32_t width : {640U, 1280U, 320U}) {
    Bytes rgb(std::size_t{3} * width * 120, 100);
    stamp(rgb, width, kTime);
    std::uint64_t bits = 0;
    const std::uint32_t in_row = std::min(width, 640U) / 16;
    for (std::uint64_t bit = 0; bit < 48; ++bit) {
      const std::size_t x = bit % in_row * 16 + 8, y = bit / in_row * 16 + 8;
      const std::uint8_t value = rgb[3 * (y * width + x)];
      CHECK((value == 0 || value == 255));
      bits |= std::uint64_t{value == 255} << bit;
    }
    CHECK((bits & 0xffffffffff) == kTime);
    CHECK((bits >> 40) == ((0x12 + 0x34 + 0x56 + 0x78 + 0x9a) & 0xff));
  }
}

TEST_CASE("a picture that is too small for all of it keeps its size") {
  Bytes rgb(3 * 64 * 20, 100);
  stamp(rgb, 64, 1);
  CHECK(rgb.size() == 3 * 64 * 20);
}

}  // namespace stamp_test
