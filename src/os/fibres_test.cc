#include "os/fibres.h"

#include <doctest/doctest.h>

#include <stdexcept>
#include <thread>

#include "nodes/test_types.h"

namespace fibres_test {

using namespace convoy;
using namespace convoy::nodes;
using namespace convoy::nodes::testing;

namespace {
// A node with a callback that sleeps, one that waits, and a timer beside them.
struct Sleepy {
  explicit Sleepy(Execution* execution) : graph({.execution = execution}), story(graph) {}
  ~Sleepy() { graph.shutdown(); }
  Graph graph;
  Story story;
};
}  // namespace

TEST_CASE("a strand stops in the middle and goes on, also on another thread") {
  os::Fibres fibres;
  std::vector<int> steps;
  std::unique_ptr<Execution::Strand> strand;
  strand = fibres.make([&] {
    for (int i = 0;; ++i) steps.push_back(i), strand->suspend();
  });
  strand->resume();
  std::thread([&] { strand->resume(); }).join();
  strand->resume();

  CHECK(steps == std::vector<int>{0, 1, 2});
}

TEST_CASE("a strand that never ended is unwound") {
  os::Fibres fibres;
  bool cleaned = false;
  {
    std::unique_ptr<Execution::Strand> strand;
    strand = fibres.make([&] {
      struct Clean {
        bool& flag;
        ~Clean() { flag = true; }
      } clean{cleaned};
      for (;;) strand->suspend();
    });
    strand->resume();
    CHECK_FALSE(cleaned);
  }
  CHECK(cleaned);
}

TEST_CASE("a callback may suspend inside a catch block while another throws") {
  os::Fibres fibres;
  Sleepy s(&fibres);
  auto a = node(s.graph, "a"), b = node(s.graph, "b");
  auto t1 = a->create_timer({.period = Duration(10), .callback = [&] {
                               try {
                                 throw std::runtime_error("a");
                               } catch (const std::exception& e) {
                                 s.graph.stacks().sleep_until(s.graph.now() + Duration(4));
                                 s.story.note(e.what());
                                 try {
                                   throw;
                                 } catch (const std::exception& again) { s.story.note(again.what()); }
                               }
                             }});
  auto t2 = b->create_timer({.period = Duration(2), .callback = [&] {
                               try {
                                 throw std::runtime_error("b");
                               } catch (const std::exception& e) {
                                 s.graph.stacks().sleep_until(s.graph.now() + Duration(3));
                                 s.story.note(e.what());
                               }
                             }});
  REQUIRE(run_until(s.graph, instant(15)));
  CHECK(s.story.lines == Lines{"5 b", "8 b", "11 b", "14 a", "14 a", "14 b"});
}

TEST_CASE("while a callback sleeps its node waits in order and the others go on") {
  os::Fibres fibres;
  Sleepy s(&fibres);
  auto a = node(s.graph, "a"), b = node(s.graph, "b");
  auto out = publisher(b, "t");
  auto slow = subscription(a, "t", [&](Delivery& d) {
    s.story.note("slow begins " + text(d));
    s.graph.stacks().sleep_until(s.graph.now() + Duration(25));
    s.story.note("slow ends " + text(d));
  });
  auto same_node = a->create_timer({.period = Duration(10), .callback = [&] { s.story.note("tick"); }});
  auto other_node = subscription(b, "t", s.story.hears("b"));
  for (int i = 0; i < 2; ++i) {
    REQUIRE(run_until(s.graph, instant(i)));
    say(out, std::to_string(i));
    REQUIRE(s.graph.run_instant(instant(i)));
  }
  REQUIRE(run_until(s.graph, instant(60)));

  CHECK(s.story.lines == Lines{"0 slow begins 0", "0 b: 0", "1 b: 1", "25 slow ends 0", "25 slow begins 1",
                               "50 slow ends 1", "50 tick", "60 tick"});
}

TEST_CASE("in a reentrant group callbacks overtake each other") {
  os::Fibres fibres;
  Sleepy s(&fibres);
  auto a = node(s.graph, "a");
  auto group = a->create_group(CallbackGroup::Kind::kReentrant);
  int length = 30;
  Owned<Timer> timer;
  timer = a->create_timer({.period = Duration(10), .group = group.get(), .callback = [&] {
                             const int mine = length -= 8;
                             s.graph.stacks().sleep_until(s.graph.now() + Duration(mine));
                             s.story.note(std::to_string(mine));
                             if (mine < 7) timer.reset();
                           }});
  REQUIRE(run_until(s.graph, instant(100)));

  CHECK(s.story.lines == Lines{"32 22", "34 14", "36 6"});
}

TEST_CASE("who waits for a gate goes on directly after the event that opened it, in the order of waiting") {
  os::Fibres fibres;
  Sleepy s(&fibres);
  Gate gate(s.graph);
  auto a = node(s.graph, "a"), b = node(s.graph, "b"), c = node(s.graph, "c");
  auto out = publisher(c, "t");
  const auto waits = [&](const char* who, std::int64_t for_ns) {
    return [&s, &gate, who, for_ns](Delivery&) {
      const bool opened = s.graph.stacks().sleep_until(s.graph.now() + Duration(for_ns), &gate);
      s.story.note(std::string(who) + (opened ? " saw it open" : " gave up"));
    };
  };
  auto first = subscription(a, "t", waits("a", 100)), second = subscription(b, "t", waits("b", 5));
  auto third = subscription(c, "t", s.story.hears("c"));
  auto opener = c->create_timer({.period = Duration(20), .callback = [&] {
                                   s.story.note("opens");
                                   say(out, "after");
                                   gate.open();
                                 }});
  say(out, "x");
  REQUIRE(run_until(s.graph, instant(20)));

  CHECK(s.story.lines == Lines{"0 c: x", "5 b gave up", "20 opens", "20 a saw it open", "20 c: after"});
}

TEST_CASE("sleepers that are due together follow the timers, in the order in which they fell asleep") {
  os::Fibres fibres;
  Sleepy s(&fibres);
  auto a = node(s.graph, "a"), b = node(s.graph, "b"), c = node(s.graph, "c");
  const auto until_20 = [&](const char* who) {
    return [&s, who] {
      if (s.graph.now() >= instant(20)) return;
      s.graph.stacks().sleep_until(instant(20));
      s.story.note(who);
    };
  };
  auto t1 = a->create_timer({.period = Duration(15), .callback = until_20("late")});
  auto t2 = b->create_timer({.period = Duration(12), .callback = until_20("early")});
  auto t3 = c->create_timer({.period = Duration(20), .callback = [&] { s.story.note("timer"); }});
  REQUIRE(run_until(s.graph, instant(20)));

  CHECK(s.story.lines == Lines{"20 timer", "20 early", "20 late"});
}

TEST_CASE("blocking gives the same order and digest on any stacks, and again") {
  const auto digest = [] {
    os::Fibres fibres;
    Sleepy s(&fibres);
    std::vector<Owned<Node>> nodes;
    std::vector<Owned<Timer>> timers;
    for (int i = 0; i < 20; ++i) {
      nodes.push_back(node(s.graph, ("n" + std::to_string(i)).c_str()));
      timers.push_back(nodes.back()->create_timer({.period = Duration(3 + i % 5), .callback = [&s, i] {
                                                     s.graph.stacks().sleep_until(s.graph.now() +
                                                                                  Duration(1 + i * 7 % 11));
                                                   }}));
    }
    CHECK(run_until(s.graph, instant(500)));
    return s.graph.digest();
  };
  CHECK(digest() == digest());
}

TEST_CASE("without an execution nothing can be suspended, and outside of callbacks nothing either") {
  Graph plain({});
  auto a = node(plain, "a");
  bool could = true;
  auto timer = a->create_timer({.period = Duration(1), .callback = [&] { could = plain.stacks().can_suspend(); }});
  REQUIRE(run_until(plain, instant(1)));
  CHECK_FALSE(could);

  os::Fibres fibres;
  Sleepy s(&fibres);
  CHECK_FALSE(s.graph.stacks().can_suspend());
}

TEST_CASE("tasks begin behind what runs, in their order, and wait as callbacks do") {
  os::Fibres fibres;
  os::ThreadStrands threads;
  Sleepy s(&fibres);
  auto node = *s.graph.create_node({.name = "n"});
  std::vector<Execution::Strand*> strands(2);
  const auto task = [&](int i, Execution& execution) {
    auto strand = execution.make([&, i] {
      Stacks& stacks = s.graph.stacks();
      s.story.note("task " + std::to_string(stacks.running_task()) + " begins");
      stacks.sleep_until(instant(5 - i));
      s.story.note("task " + std::to_string(stacks.running_task()) + " slept");
      stacks.end_task();
      strands[static_cast<std::size_t>(i)]->suspend();
    });
    strands[static_cast<std::size_t>(i)] = strand.get();
    return strand;
  };
  Owned<Timer> timer;
  timer = node->create_timer({.period = Duration(1), .callback = [&] {
                                timer->cancel();
                                CHECK(s.graph.stacks().add_task(task(0, fibres)) == 1);
                                CHECK(s.graph.stacks().add_task(task(1, threads)) == 2);
                                s.story.note("callback");
                              }});
  Owned<Timer> second;
  second = node->create_timer({.period = Duration(1), .callback = [&] { second->cancel(), s.story.note("second"); }});
  while (s.graph.next() <= instant(20)) REQUIRE(s.graph.run_instant(s.graph.next()));
  CHECK(s.story.lines == std::vector<std::string>{"1 callback", "1 task 1 begins", "1 task 2 begins", "1 second",
                                                  "4 task 2 slept", "5 task 1 slept"});
  CHECK(s.graph.stacks().suspended() == 0);
}

TEST_CASE("work on a stack may block, and goes on in the run; at the end what is ready gets its turns") {
  os::Fibres fibres;
  Sleepy s(&fibres);
  Gate gate(s.graph);
  s.graph.stacks().run([&] {
    s.graph.stacks().sleep_until(instant(3));
    s.story.note("slept");
    s.graph.stacks().sleep_until(kNoInstant, &gate);
    s.graph.stacks().pass();
    s.story.note("over");
  });
  CHECK(s.graph.stacks().callbacks_suspended() == 1);
  while (s.graph.next() <= instant(20)) REQUIRE(s.graph.run_instant(s.graph.next()));
  CHECK(s.story.lines == std::vector<std::string>{"3 slept"});
  gate.open();
  s.graph.stacks().let_out();
  CHECK(s.story.lines == std::vector<std::string>{"3 slept", "3 over"});
  CHECK(s.graph.stacks().callbacks_suspended() == 0);
}

}  // namespace fibres_test
