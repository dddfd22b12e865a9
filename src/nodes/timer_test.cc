#include "nodes/timer.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "core/random.h"
#include "nodes/test_types.h"

namespace timer_test {

using namespace convoy;
using namespace convoy::nodes;
using namespace convoy::nodes::testing;

namespace {
Owned<Timer> ticking(Owned<Node>& node, Story& story, std::int64_t period, const char* name) {
  return node->create_timer({.period = Duration(period), .callback = [&story, name] { story.note(name); }});
}
}  // namespace

TEST_CASE("timers that are due together fire in the order of their creation") {
  Graph graph({});
  Story story(graph);
  auto a = node(graph, "a"), b = node(graph, "b");
  auto t1 = ticking(b, story, 20, "1"), t2 = ticking(a, story, 10, "2"), t3 = ticking(b, story, 5, "3");

  REQUIRE(run_until(graph, instant(20)));

  CHECK(story.lines == Lines{"5 3", "10 2", "10 3", "15 3", "20 1", "20 2", "20 3"});
}

TEST_CASE("a late timer fires once and keeps its grid") {
  Graph graph({});
  Story story(graph);
  auto a = node(graph, "a");
  auto slow = ticking(a, story, 40, "40"), fast = ticking(a, story, 30, "30");

  REQUIRE(graph.run_instant(instant(125)));
  CHECK(story.lines == Lines{"125 30", "125 40"});  // the one due first, not the one created first
  CHECK(slow->expected() == instant(40));
  CHECK(slow->due() == instant(160));
  CHECK(fast->due() == instant(150));
}

TEST_CASE("cancel, reset and a new period do what rcl does") {
  Graph graph({});
  Story story(graph);
  auto a = node(graph, "a");
  auto timer = ticking(a, story, 10, "t");
  auto stopped = a->create_timer({.period = Duration(3), .autostart = false, .callback = [&] { story.note("never"); }});
  Owned<Timer> once;
  once = a->create_timer({.period = Duration(4), .callback = [&] { story.note("once"), once->cancel(); }});

  REQUIRE(run_until(graph, instant(15)));
  timer->cancel();
  CHECK(timer->is_canceled());
  CHECK(graph.next() == kNoInstant);
  REQUIRE(graph.run_instant(instant(17)));
  timer->reset();
  CHECK(timer->due() == instant(27));
  timer->set_period(Duration(100));
  REQUIRE(run_until(graph, instant(130)));

  CHECK(story.lines == Lines{"4 once", "10 t", "27 t", "127 t"});
}

TEST_CASE("a timer of the longest period never overflows") {
  Graph graph({});
  auto a = node(graph, "a");
  REQUIRE(graph.run_instant(instant(1000)));
  auto timer = a->create_timer({.period = Duration::max(), .callback = [] {}});
  CHECK(timer->due() > instant(INT64_MAX - 10));
  CHECK_FALSE(timer->is_canceled());
}

TEST_CASE("any number of timers, cancelled and reset at random, fire by (due, creation)") {
  Graph graph({});
  auto a = node(graph, "a");
  std::vector<Owned<Timer>> timers;
  std::vector<std::pair<std::int64_t, std::size_t>> fired;
  Random random{stream_key(1, 0, "timers")};
  for (std::size_t i = 0; i < 60; ++i)
    timers.push_back(
        a->create_timer({.period = Duration(1 + static_cast<std::int64_t>(random.below(40))), .callback = [&, i] {
                           fired.push_back({nanos(graph.now()), i});
                           const std::size_t other = random.below(timers.size());
                           if (random.below(4) == 0) timers[other]->cancel();
                           else if (random.below(4) == 0) timers[other]->reset();
                         }}));
  for (int i = 0; i < 400; ++i) {
    const Instant next = std::min(graph.next(), graph.now() + Duration(5));
    Instant earliest = kNoInstant;
    for (auto& timer : timers) earliest = std::min(earliest, timer->due());
    CHECK(graph.next() == (earliest == kNoInstant ? earliest : std::max(earliest, graph.now())));
    REQUIRE(graph.run_instant(next));
    if (i % 50 == 0)
      for (auto& timer : timers) timer->reset();
  }
  CHECK(fired.size() > 500);
  CHECK(std::is_sorted(fired.begin(), fired.end()));
}

}  // namespace timer_test
