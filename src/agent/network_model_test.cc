#include "agent/network_model.h"

#include <doctest/doctest.h>

#include <array>

#include <cmath>

namespace network_model_test {

using namespace convoy;

namespace {
constexpr Duration kTick = std::chrono::milliseconds(10);
Message message(WorldNumber from, std::uint32_t index) { return {from, kNoEntity, index, instant(1'000'000), "t", {}}; }
}  // namespace

TEST_CASE("a message takes one tick on a perfect network, and the delay besides") {
  CHECK(due({}, 1, kTick, message(WorldNumber(1), 0), WorldNumber(2)) == instant(11'000'000));
  CHECK(due({.delay = Duration(5)}, 1, kTick, message(WorldNumber(1), 0), WorldNumber(2)) == instant(11'000'005));
}

TEST_CASE("delivery is a function of seed, sender, receiver and message, and of nothing else") {
  const NetworkModel network{.delay = Duration(3), .jitter = std::chrono::milliseconds(5), .loss = 0.3};
  for (std::uint32_t i = 0; i < 100; ++i) {
    const auto first = due(network, 7, kTick, message(WorldNumber(1), i), WorldNumber(2));
    for (std::uint32_t other = 3; other < 6; ++other)
      due(network, 7, kTick, message(WorldNumber(1), i), WorldNumber(other));
    Message same = message(WorldNumber(1), i);
    same.topic = "other", same.payload = {1, 2, 3};
    CHECK(due(network, 7, kTick, same, WorldNumber(2)) == first);
  }
  int differ[4] = {};
  for (std::uint32_t i = 0; i < 100; ++i) {
    const auto at = due(network, 7, kTick, message(WorldNumber(1), i), WorldNumber(2));
    differ[0] += at != due(network, 8, kTick, message(WorldNumber(1), i), WorldNumber(2));
    differ[1] += at != due(network, 7, kTick, message(WorldNumber(3), i), WorldNumber(2));
    differ[2] += at != due(network, 7, kTick, message(WorldNumber(1), i + 1), WorldNumber(2));
    differ[3] += at != due(network, 7, kTick, message(WorldNumber(1), i), WorldNumber(4));
  }
  for (int count : differ) CHECK(count > 50);
}

TEST_CASE("jitter fills its range evenly, and loss has its rate") {
  const NetworkModel network{.jitter = Duration(9), .loss = 0.2};
  int lost = 0;
  std::array<int, 10> at{};
  constexpr int kCount = 20'000;
  for (std::uint32_t i = 0; i < kCount; ++i) {
    const auto when = due(network, 1, kTick, message(WorldNumber(5), i), WorldNumber(6));
    if (!when) {
      ++lost;
      continue;
    }
    const std::int64_t late = nanos(*when) - 11'000'000;
    REQUIRE(late >= 0);
    REQUIRE(late <= 9);
    ++at.at(static_cast<std::size_t>(late));
  }
  CHECK(std::abs(lost - 0.2 * kCount) < 5 * std::sqrt(0.16 * kCount));
  for (int count : at) CHECK(std::abs(count - 0.08 * kCount) < 5 * std::sqrt(0.08 * kCount));
  CHECK_FALSE(due({.loss = 1}, 1, kTick, message(WorldNumber(5), 0), WorldNumber(6)));
}

}  // namespace network_model_test
