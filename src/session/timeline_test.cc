#include "session/timeline.h"

#include <doctest/doctest.h>

namespace timeline_test {

using namespace convoy;
using namespace std::chrono_literals;

namespace {

constexpr Duration kTick = 10ms;
constexpr std::int64_t kSecond = 1'000'000'000;
Moment at(Duration since_start) { return Moment(Duration(5 * kSecond) + since_start); }
Pace pace(Tick tick, Duration since_start, double speed = 1, Tick limit = Pace::kEndless, std::uint32_t run = 0) {
  return {run, tick, 5 * kSecond + since_start.count(), speed, limit};
}

}  // namespace

TEST_CASE("ticks begin by the speed, and simulated time is continuous where it changes") {
  Timeline t(kTick, pace(0, 0s));
  CHECK(t.begin_of(0) == at(0s));
  CHECK(t.begin_of(100) == at(1s));
  t.set(pace(100, 1s, 2.0));
  CHECK(t.begin_of(99) == at(990ms));
  CHECK(t.begin_of(100) == at(1s));
  CHECK(t.begin_of(300) == at(2s));
  CHECK(t.sim_at(at(-1s)) == instant(0));
  CHECK(t.sim_at(at(500ms)) == instant(kSecond / 2));
  CHECK(t.sim_at(at(1s)) == instant(kSecond));
  CHECK(t.sim_at(at(2s)) == instant(3 * kSecond));
}

TEST_CASE("moments within a tick follow the speed, and there are none in a tick that may not begin") {
  Timeline t(kTick, pace(0, 0s));
  t.set(pace(100, 1s, 2.0, 110));
  CHECK(t.moment_of(99, 2ms) == at(992ms));
  CHECK(t.moment_of(100, 2ms) == at(1001ms));
  CHECK(t.moment_of(109, 10ms) == at(1050ms));
  CHECK(t.moment_of(110, 2ms) == kNever);
}

TEST_CASE("paused, stepped and resumed at named ticks") {
  Timeline t(kTick, pace(0, 0s));
  t.set(pace(50, 500ms, 1, 50));  // paused at 50
  CHECK(t.begin_of(49) == at(490ms));
  CHECK(t.begin_of(50) == kNever);
  CHECK(t.sim_at(at(10s)) == instant(kSecond / 2));
  t.set(pace(50, 20s, 1, 53));  // three steps
  CHECK(t.begin_of(50) == at(20s));
  CHECK(t.begin_of(52) == at(20s + 20ms));
  CHECK(t.begin_of(53) == kNever);
  CHECK(t.sim_at(at(19s)) == instant(kSecond / 2));
  CHECK(t.sim_at(at(30s)) == instant(530'000'000));
  t.set(pace(53, 40s));
  CHECK(t.begin_of(53) == at(40s));
  CHECK(t.begin_of(153) == at(41s));
  CHECK(t.sim_at(at(39s)) == instant(530'000'000));
}

TEST_CASE("a new run begins at its tick 0, and nothing of the old one is left") {
  Timeline t(kTick, pace(0, 0s));
  t.set(pace(500, 5s, 2.0));
  t.set(pace(0, 9s, 0.5, Pace::kEndless, 1));
  CHECK(t.run() == 1);
  CHECK(t.begin_of(0) == at(9s));
  CHECK(t.begin_of(1) == at(9s + 20ms));
  CHECK(t.sim_at(at(8s)) == instant(0));
}

TEST_CASE("a pace that replaces a later one, and forgetting") {
  Timeline t(kTick, pace(0, 0s));
  t.set(pace(100, 1s, 1, 100));
  t.set(pace(60, 600ms, 1, 60));  // paused earlier than was sent first
  CHECK(t.begin_of(60) == kNever);
  CHECK(t.begin_of(100) == kNever);
  CHECK(t.begin_of(59) == at(590ms));
  t.forget_before(60);
  CHECK(t.ruling(60) == pace(60, 600ms, 1, 60));
  CHECK(t.last() == t.ruling(1000));
}

}  // namespace timeline_test
