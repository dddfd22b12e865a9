#include "adapters/zmq/info_rhythm.h"

#include <doctest/doctest.h>

#include <vector>

using namespace convoy;
using namespace convoy::zmq;

TEST_CASE("info comes every 50 ticks to tick 2500, then every 500") {
  InfoRhythm dut;
  std::vector<int> when;
  for (int tick = 1; tick <= 4000; ++tick)
    if (dut.ticked()) when.push_back(tick);

  REQUIRE(when.size() == 50 + 3);
  CHECK(when[0] == 50);
  CHECK(when[1] == 100);
  CHECK(when[49] == 2500);
  CHECK(when[50] == 3000);
  CHECK(when[52] == 4000);
}

TEST_CASE("info comes once a second while no tick does, and at once for who asks") {
  InfoRhythm dut;
  const Moment begin{std::chrono::hours(1)};
  int sent = 0;
  for (int ms = 0; ms < 5000; ms += 20) {
    const Moment now = begin + std::chrono::milliseconds(ms);
    if (dut.due(now)) dut.sent(now), ++sent;
  }
  CHECK(sent == 5);

  const Moment now = begin + std::chrono::milliseconds(4900);
  CHECK_FALSE(dut.due(now));
  dut.ask();
  CHECK(dut.due(now));
  dut.sent(now);
  CHECK_FALSE(dut.due(now + std::chrono::milliseconds(999)));
  CHECK(dut.due(now + std::chrono::seconds(1)));
}
