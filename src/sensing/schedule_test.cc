// When sensors sample.
#include "sensing/schedule.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

namespace schedule_test {

using namespace convoy;

TEST_CASE("samples are due a period apart, from the beginning and the offset on") {
  const Schedule dut{instant(1000), Duration(30), Duration(100)};
  CHECK(dut.due(0) == instant(1030));
  CHECK(dut.due(7) == instant(1730));
  CHECK(dut.first_from(instant(0)) == 0);
  CHECK(dut.first_from(instant(1030)) == 0);
  CHECK(dut.first_from(instant(1031)) == 1);
  CHECK(dut.first_from(instant(1130)) == 1);
  CHECK(dut.first_from(instant(1131)) == 2);
}

TEST_CASE("over a grid of any width every sample is counted once, at the first instant at or after it") {
  for (const std::int64_t grid : {1, 7, 30, 99, 100, 101, 250}) {
    CAPTURE(grid);
    const Schedule dut{instant(50), Duration(13), Duration(100)};
    std::uint64_t seen = 0;
    std::int64_t begin = -grid;  // the sample that is due at 0 counts at 0
    for (std::int64_t end = 0; end <= 20'000; begin = end, end += grid) {
      const std::uint64_t here = dut.count_in(instant(begin), instant(end));
      for (std::uint64_t i = 0; i < here; ++i) {
        CHECK(dut.due(seen + i) <= instant(end));
        CHECK(dut.due(seen + i) > instant(begin));
      }
      seen += here;
    }
    CHECK(seen == dut.first_from(instant(begin + 1)));
  }
}

TEST_CASE("stagger spreads robots over the period, evenly") {
  std::vector<std::int64_t> offsets;
  constexpr std::uint32_t kRobots = 1000;
  const Duration period = std::chrono::milliseconds(200);
  for (std::uint32_t i = 1; i <= kRobots; ++i) {
    const Duration offset = staggered(WorldNumber(i), period);
    CHECK(offset >= Duration(0));
    CHECK(offset < period);
    offsets.push_back(nanos(offset));
  }
  std::sort(offsets.begin(), offsets.end());
  std::int64_t widest = 0;
  for (std::size_t i = 1; i < offsets.size(); ++i) widest = std::max(widest, offsets[i] - offsets[i - 1]);
  CHECK(widest < 3 * nanos(period) / kRobots);
}

}  // namespace schedule_test
