#include "stream/bitrate.h"

#include <doctest/doctest.h>

#include <vector>

namespace convoy::stream::bitrate_test {
namespace {

bool take(Bitrate& rate, double lost) {
  const std::vector<PlayerReport> reports{{.given = true, .fraction_lost = 0},
                                          {.given = true, .fraction_lost = lost},
                                          {.given = false, .fraction_lost = 1}};
  return rate.take(reports);
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

TEST_CASE("news are at most half of what was said last, and all of it again") {
  Bitrate dut(2000);
  CHECK(!dut.news());
  CHECK(take(dut, 0.2));  // 1400
  CHECK(!dut.news());
  CHECK(take(dut, 0.2));  // 980
  CHECK(dut.kbit() < 1000);
  CHECK(dut.news() == dut.kbit());
  CHECK(!dut.news());
  while (take(dut, 0.2)) {}
  CHECK(dut.news() == 250);
  while (dut.kbit() < 1900) {
    CHECK(take(dut, 0));
    CHECK(!dut.news());
  }
  while (take(dut, 0)) {}
  CHECK(dut.news() == 2000);
  CHECK(!dut.news());
}

}  // namespace
}  // namespace convoy::stream::bitrate_test
