#include "stream/stamp.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "stream/bitrate.h"

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

TEST_CASE("the bitrate follows the player that loses most, within bounds") {
  Bitrate rate(4000);
  CHECK_FALSE(rate.take({}));
  const PlayerReport good{.given = true}, bad{.given = true, .fraction_lost = 0.3}, silent{.fraction_lost = 1};
  CHECK_FALSE(rate.take(std::vector{good, silent}));
  CHECK(rate.take(std::vector{good, bad}));
  CHECK(rate.kbit() == 2800);
  for (int i = 0; i < 50; ++i) rate.take(std::vector{bad});
  CHECK(rate.kbit() == 500);
  CHECK(rate.take(std::vector{good}));
  CHECK(rate.kbit() == 540);
  for (int i = 0; i < 50; ++i) rate.take(std::vector{good});
  CHECK(rate.kbit() == 4000);
  // Between much and little it stays.
  CHECK_FALSE(rate.take(std::vector{PlayerReport{.given = true, .fraction_lost = 0.05}}));
}

}  // namespace stamp_test
