#include "session/clock_sync.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <deque>

#include "core/random.h"

namespace clock_sync_test {

using namespace convoy;
using namespace std::chrono_literals;

namespace {

constexpr Duration kTrueOffset = 1234567us;
Moment at(Duration since) { return Moment(since); }

struct Line {  // one exchange at a time over a path with given ways out and back
  ClockSync clock;
  Random random{stream_key(5, 0, "clock")};
  Duration read_until{0}, true_offset = kTrueOffset;

  void run(Duration from, Duration until, Duration out, Duration back, Duration jitter) {
    Moment last = Moment::min();
    for (Duration t = from; t < until;) {
      const Duration extra_out =
          Duration(static_cast<std::int64_t>(random.uniform() * static_cast<double>(jitter.count())));
      const Duration extra_back =
          Duration(static_cast<std::int64_t>(random.uniform() * static_cast<double>(jitter.count())));
      const std::uint32_t number = clock.probe(at(t));
      const Moment served = at(t + out + extra_out) + true_offset;
      CHECK(clock.answer(number, served, at(t + out + extra_out + back + extra_back)));
      for (Duration read = t + out + extra_out + back + extra_back; read < clock.next_probe().time_since_epoch();
           read += 7ms) {
        const Moment now = clock.server_time(at(read));
        CHECK(now >= last);
        last = now;
        read_until = read;
      }
      t = clock.next_probe().time_since_epoch();
    }
  }
  Duration error() { return clock.server_time(at(read_until)) - (at(read_until) + true_offset); }
};

}  // namespace

TEST_CASE("an even path gives the server's clock exactly, jitter gives it within the shortest round trip") {
  Line even;
  even.run(0s, 5s, 10ms, 10ms, 0ms);
  CHECK(even.error() == 0ns);

  Line jittered;
  jittered.run(0s, 40s, 10ms, 10ms, 40ms);
  CHECK(std::abs(jittered.error().count()) <= nanos(jittered.clock.error_bound()));
  CHECK(jittered.clock.delay() < 40ms);  // the shortest of the window, not the mean of 60 ms
}

TEST_CASE("an uneven path is wrong by half the difference of its ways, and no more") {
  Line line;
  line.run(0s, 10s, 30ms, 10ms, 0ms);
  CHECK(line.error() == 10ms);
}

TEST_CASE("when the path changes the clock slews to the new answer and never goes backwards") {
  Line line;
  line.run(0s, 20s, 50ms, 10ms, 0ms);  // 20 ms too late
  CHECK(line.error() == 20ms);
  line.run(20s, 60s, 5ms, 5ms, 0ms);  // now exact: it must come back by 20 ms, at 10 ms a second
  CHECK(line.error() == 0ns);
}

TEST_CASE("when a clock has jumped the next answer counts alone: ahead at once, back by waiting, never backwards") {
  Line line;
  line.run(0s, 20s, 10ms, 10ms, 30ms);
  line.true_offset += 7s;
  line.run(20s, 22s, 10ms, 10ms, 60ms);  // longer ways than those of before the jump
  CHECK(std::abs(line.error().count()) <= nanos(line.clock.error_bound()));

  line.true_offset -= 3s;
  line.run(22s, 24s, 10ms, 10ms, 60ms);
  CHECK(line.error() > 500ms);  // it waits
  line.run(24s, 27s, 10ms, 10ms, 60ms);
  CHECK(std::abs(line.error().count()) <= nanos(line.clock.error_bound()) + 10'000'000);  // less what it may slew
}

TEST_CASE("answers to no probe, to an old one or a second time change nothing") {
  ClockSync clock;
  CHECK_FALSE(clock.answer(1, at(5s), at(1s)));
  const auto number = clock.probe(at(1s));
  CHECK(clock.answer(number, at(5s), at(1s + 10ms)));
  const Duration offset = clock.target();
  CHECK_FALSE(clock.answer(number, at(9s), at(1s + 20ms)));
  for (std::size_t i = 0; i < ClockSync::kWindow; ++i) clock.probe(at(2s));
  CHECK_FALSE(clock.answer(number + 1 - static_cast<std::uint32_t>(ClockSync::kWindow), at(9s), at(3s)));
  CHECK(clock.target() == offset);
}

TEST_CASE("when the first probes are lost, others follow soon until enough were answered") {
  ClockSync clock;
  Duration t{0};
  const auto next = [&] { return t = clock.next_probe().time_since_epoch(); };
  for (int i = 0; i < 10; ++i) clock.probe(at(next()));  // into the void
  CHECK(t < 500ms);

  for (int i = 0; i < ClockSync::kQuickProbes; ++i) {
    const Duration sent = next();
    CHECK(clock.answer(clock.probe(at(sent)), at(sent) + kTrueOffset, at(sent + 1ms)));
  }
  CHECK(t < 1700ms);
  clock.probe(at(next()));
  const Duration last = t;
  CHECK(next() - last == ClockSync::kSteady);
}

}  // namespace clock_sync_test
