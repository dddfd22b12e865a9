#include "adapters/zmq/info_rhythm.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <vector>

namespace info_rhythm_test {

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

TEST_CASE("who reads 20 messages of each sending, or of some of them, sees all robots in turn") {
  for (std::size_t robots = 1; robots <= 400; ++robots)
    for (int heard = 1; heard <= 20; ++heard) {  // every heard-th sending
      InfoTurn dut;
      std::set<std::size_t> seen;
      for (std::size_t reading = 0; reading < robots && seen.size() < robots; ++reading) {
        std::size_t first = 0;
        for (int i = 0; i < heard; ++i) first = dut.next(robots);
        for (std::size_t i = 0; i < std::min<std::size_t>(20, robots); ++i) seen.insert((first + i) % robots);
      }
      CHECK_MESSAGE(seen.size() == robots, robots << " robots, each " << heard << ". sending");
    }
}

TEST_CASE("of 45 robots three readings of 20 see all, and robots may come and go") {
  InfoTurn dut;
  CHECK(dut.next(45) == 0);
  CHECK(dut.next(45) == 19);
  CHECK(dut.next(45) == 38);
  CHECK(dut.next(45) == 12);
  CHECK(dut.next(10) < 10);
  CHECK(dut.next(0) == 0);
  CHECK(dut.next(3) < 3);
}

}  // namespace info_rhythm_test
