#include "nodes/delay.h"

#include <doctest/doctest.h>

#include <array>

#include <cmath>

#include "nodes/delay_csv.h"
#include "nodes/test_types.h"

namespace delay_test {

using namespace convoy;
using namespace convoy::nodes;
using namespace convoy::nodes::testing;

namespace {

DelayRule constant(std::string name, Duration by, std::string publisher = {}, std::string subscriber = {}) {
  return {.name = std::move(name),
          .publisher = std::move(publisher),
          .subscriber = std::move(subscriber),
          .delay = {.kind = Delay::Kind::kConstant, .low = by}};
}

// Delays that `count` publishes on "t" had, in the order in which they arrived, in ns.
std::vector<std::int64_t> delays_of(Delay delay, int count, std::uint64_t seed = 1, std::uint64_t agent = 0,
                                    bool crowd = false) {
  Graph graph({.seed = seed, .agent = agent, .delays = {{.name = "/t", .delay = std::move(delay)}}});
  std::vector<Owned<Node>> others;
  std::vector<Owned<Publisher>> more;
  if (crowd)
    for (const char* name : {"x", "y"}) {
      others.push_back(node(graph, name));
      more.push_back(publisher(others.back(), "t"));
    }
  auto a = node(graph, "a"), b = node(graph, "b");
  std::vector<std::int64_t> out(static_cast<std::size_t>(count), -1);
  auto from = publisher(a, "t");
  auto to =
      subscription(b, "t", [&](Delivery& d) { out[d.index] = nanos(graph.now() - d.published); }, {.keep_all = true});
  for (int i = 0; i < count; ++i) say(from, "x");
  REQUIRE(run_until(graph, instant(1'000'000'000'000)));
  return out;
}

}  // namespace

TEST_CASE("durations are read exactly, to the nanosecond") {
  CHECK(*parse_duration("10ms") == Duration(10'000'000));
  CHECK(*parse_duration("1500ns") == Duration(1500));
  CHECK(*parse_duration("0.5ms") == Duration(500'000));
  CHECK(*parse_duration("2 s") == Duration(2'000'000'000));
  CHECK(*parse_duration("0.000000001s") == Duration(1));
  CHECK(*parse_duration("9223372036.854775807s") == Duration::max());
  CHECK(*parse_duration(".5us") == Duration(500));
  CHECK(*parse_duration("1.000ns") == Duration(1));

  for (const char* bad : {"", "10", "ms", ".ms", "1.5ns", "0.0000000001s", "-1ms", "1e3ns", "10 m",
                          "9223372036.854775808s", "99999999999999999999ns", "1.2.3ms", " 1ms"})
    CHECK_FALSE(parse_duration(bad));
}

TEST_CASE("each nanosecond of a millisecond written as milliseconds is itself") {
  for (std::int64_t ns = 1; ns <= 1'000'000; ++ns) {
    char text[32];
    std::snprintf(text, sizeof text, "%lld.%06lldms", static_cast<long long>(ns / 1'000'000),
                  static_cast<long long>(ns % 1'000'000));
    const auto parsed = parse_duration(text);
    if (!parsed || parsed->count() != ns) FAIL(text);
  }
}

TEST_CASE("a delayed message arrives at exactly its instant, for any delay") {
  std::vector<std::int64_t> tried{1,       2,         3,         999,         1000,           1001,
                                  999'999, 1'000'000, 1'000'001, 123'456'789, 999'999'999'999};
  for (std::int64_t ns = 7; ns < 1'000'000; ns += 997) tried.push_back(ns);
  for (std::int64_t ns : tried) {
    const auto got = delays_of({.kind = Delay::Kind::kConstant, .low = Duration(ns)}, 1);
    if (got[0] != ns) FAIL(ns);
  }
}

TEST_CASE("messages that are due together arrive in the order of their publishing, before events of that instant") {
  Graph graph({.delays = {constant("/slow", Duration(200)), constant("/slower", Duration(300))}});
  Story story(graph);
  auto a = node(graph, "a"), b = node(graph, "b");
  auto slow = publisher(a, "slow"), slower = publisher(a, "slower"), fast = publisher(a, "fast");
  auto s1 = subscription(b, "slow", story.hears("slow"));
  auto s2 = subscription(b, "slower", story.hears("slower"));
  auto s3 = subscription(b, "fast", story.hears("fast"));
  auto timer = a->create_timer({.period = Duration(100), .callback = [&] {
                                  if (graph.now() > instant(300)) return;
                                  for (auto* p : {&fast, &slow, &slower}) say(*p, std::to_string(nanos(graph.now())));
                                }});

  REQUIRE(run_until(graph, instant(600)));

  CHECK(story.lines == Lines{"100 fast: 100", "200 fast: 200", "300 slow: 100", "300 fast: 300", "400 slower: 100",
                             "400 slow: 200", "500 slower: 200", "500 slow: 300", "600 slower: 300"});
}

TEST_CASE("a graph without any timer still delivers what is under way") {
  Graph graph({.delays = {constant("/t", Duration(5)), constant("/u", Duration(7))}});
  Story story(graph);
  auto a = node(graph, "a"), b = node(graph, "b");
  auto t = publisher(a, "t"), u = publisher(b, "u");
  auto to_b = subscription(b, "t", [&](Delivery& d) { story.note("b: " + text(d)), say(u, "pong"); });
  auto to_a = subscription(a, "u", story.hears("a"));
  say(t, "ping");

  REQUIRE(run_until(graph, instant(1000)));

  CHECK(story.lines == Lines{"5 b: ping", "12 a: pong"});
  CHECK(graph.next() == kNoInstant);
}

TEST_CASE("a message arrives although its publisher has gone, and not at a subscription that has") {
  Graph graph({.delays = {constant("/t", Duration(5))}});
  Story story(graph);
  auto a = node(graph, "a"), b = node(graph, "b");
  auto t = publisher(a, "t");
  auto stays = subscription(b, "t", story.hears("stays")), goes = subscription(b, "t", story.hears("goes"));
  say(t, "last words");
  t.reset(), a.reset(), goes.reset();

  REQUIRE(run_until(graph, instant(10)));

  CHECK(story.lines == Lines{"5 stays: last words"});
}

TEST_CASE("of several rules the most specific one rules") {
  Graph graph({.delays = {constant("/t", Duration(1)), constant("/t", Duration(2), "/a"),
                          constant("/t", Duration(3), "", "/y"), constant("/t", Duration(4), "/a", "/z")}});
  Story story(graph);
  auto a = node(graph, "a"), b = node(graph, "b"), x = node(graph, "x"), y = node(graph, "y"), z = node(graph, "z");
  auto sx = subscription(x, "t", story.hears("x")), sy = subscription(y, "t", story.hears("y")),
       sz = subscription(z, "t", story.hears("z"));
  auto from_a = publisher(a, "t"), from_b = publisher(b, "t");
  say(from_a, "a"), say(from_b, "b");

  REQUIRE(run_until(graph, instant(10)));

  CHECK(story.lines == Lines{"1 x: b", "1 z: b", "2 x: a", "3 y: a", "3 y: b", "4 z: a"});
  CHECK(graph.unused_delays().empty());
}

TEST_CASE("a rule for a name that no node uses is reported as unused") {
  Graph graph({.delays = {constant("/t", Duration(1)), constant("/typo", Duration(1)),
                          constant("/t", Duration(1), "/nobody")}});
  auto a = node(graph, "a");
  auto t = publisher(a, "t");

  const auto unused = graph.unused_delays();

  REQUIRE(unused.size() == 2);
  CHECK(unused[0]->publisher == "/nobody");
  CHECK(unused[1]->name == "/typo");
}

TEST_CASE("requests and responses take their own delays") {
  DelayRule request = constant("/s", Duration(10)), response = constant("/s", Duration(100));
  request.of = DelayRule::Of::kRequest, response.of = DelayRule::Of::kResponse;
  Graph graph({.delays = {request, response}});
  Story story(graph);
  auto a = node(graph, "a"), b = node(graph, "b");
  Owned<Service> server;
  server =
      *b->create_service({.service = "s", .type = &kEcho, .callback = [&](Delivery& d) {
                            story.note("asked " + text(d)), server->respond({d.from, d.index}, kWord.make({"yes"}));
                          }});
  auto client = *a->create_client({.service = "s", .type = &kEcho, .callback = story.hears("answer")});
  client->call(kWord.make({"?"}));

  REQUIRE(run_until(graph, instant(1000)));

  CHECK(story.lines == Lines{"10 asked ?", "110 answer: yes"});
}

TEST_CASE("uniform delays fill their range, ends included, and nothing else") {
  const auto small = delays_of({.kind = Delay::Kind::kUniform, .low = Duration(10), .high = Duration(13)}, 4000);
  std::array<int, 4> seen{};
  for (std::int64_t d : small) {
    REQUIRE(d >= 10);
    REQUIRE(d <= 13);
    ++seen.at(static_cast<std::size_t>(d - 10));
  }
  for (int n : seen) CHECK(std::abs(n - 1000) < 150);  // 5.5 sigma
}

TEST_CASE("normal delays have their mean and deviation, and are never below 0") {
  const auto far = delays_of({.kind = Delay::Kind::kNormal, .low = Duration(1'000'000), .high = Duration(1000)}, 4000);
  double sum = 0, squares = 0;
  for (std::int64_t d : far)
    sum += static_cast<double>(d - 1'000'000), squares += std::pow(static_cast<double>(d - 1'000'000), 2);
  CHECK(std::abs(sum / 4000) < 80);  // 5 sigma of the mean
  CHECK(std::abs(std::sqrt(squares / 4000) - 1000) < 60);

  const auto near = delays_of({.kind = Delay::Kind::kNormal, .low = Duration(0), .high = Duration(1000)}, 100);
  CHECK(*std::min_element(near.begin(), near.end()) == 0);
}

TEST_CASE("a trace is played in order, and again from its start") {
  const auto got = delays_of({.kind = Delay::Kind::kTrace, .samples = {Duration(5), Duration(0), Duration(9)}}, 7);

  CHECK(got == std::vector<std::int64_t>{5, 0, 9, 5, 0, 9, 5});
}

TEST_CASE("drawn delays depend on seed, agent and names, not on who else is there") {
  const Delay uniform{.kind = Delay::Kind::kUniform, .low = Duration(1), .high = Duration(1'000'000)};
  const auto reference = delays_of(uniform, 50);

  CHECK(delays_of(uniform, 50) == reference);
  CHECK(delays_of(uniform, 50, 1, 0, true) == reference);
  CHECK(delays_of(uniform, 50, 2, 0) != reference);
  CHECK(delays_of(uniform, 50, 1, 1) != reference);
}

TEST_CASE("more delayed messages than the bound stop the graph") {
  Graph graph({.bounds = {.delayed = 10}, .delays = {constant("/t", Duration(5))}});
  auto a = node(graph, "a");
  auto t = publisher(a, "t");
  for (int i = 0; i < 11; ++i) say(t, "x");

  const auto ok = graph.run_instant(instant(0));

  REQUIRE_FALSE(ok);
  CHECK(ok.error().text == "more than 10 delayed messages wait, the newest of /t");
}

TEST_CASE("RSLCPP's delay files are read, exactly and with an empty last column") {
  const auto rules = parse_delay_csv(
      "Topic Name, Delay Type, Fixed Delay_ms, Measured Delay Skew\r\n"
      "/fixed_delay_1,FIXED,10,\r\n"
      "/fixed_delay_2\t, FIXED , 0.000001 , \n"
      "\n"
      "/measured,MEASURED,,0.5",
      "delays.csv", {{"/measured", {Duration(10), Duration(3)}}});

  REQUIRE(rules);
  REQUIRE(rules->size() == 3);
  CHECK((*rules)[0].name == "/fixed_delay_1");
  CHECK((*rules)[0].delay == Delay{.kind = Delay::Kind::kConstant, .low = std::chrono::milliseconds(10)});
  CHECK((*rules)[1].delay.low == Duration(1));
  CHECK((*rules)[2].delay == Delay{.kind = Delay::Kind::kTrace, .samples = {Duration(5), Duration(2)}});
  CHECK((*rules)[2].where == "delays.csv:5");
}

TEST_CASE("a bad row of a delay file is an error that names line and field") {
  const auto error = [](const char* rows) {
    const auto rules = parse_delay_csv(std::string("header\n") + rows, "d.csv");
    return rules ? std::string("read") : rules.error().message();
  };
  CHECK(error("/a,FIXED,10") == "d.csv:2: a row has 4 columns, not 3");
  CHECK(error("/a,FIXED,10,,") == "d.csv:2: a row has 4 columns, not 5");
  CHECK(error("/a,FIXED,10,\n/b,FIXED,ten,") ==
        "d.csv:3: Fixed Delay_ms: 'ten' is no number of milliseconds, exact to a nanosecond");
  CHECK(error("/a,FIXED,0.0000001,") ==
        "d.csv:2: Fixed Delay_ms: '0.0000001' is no number of milliseconds, exact to a nanosecond");
  CHECK(error("/a,FIXED,-1,") == "d.csv:2: Fixed Delay_ms: '-1' is no number of milliseconds, exact to a nanosecond");
  CHECK(error("/a,FIXED,,") == "d.csv:2: Fixed Delay_ms: FIXED needs a delay in milliseconds");
  CHECK(error("/a,FIXED,1,1") == "d.csv:2: Measured Delay Skew: FIXED takes no skew");
  CHECK(error("a,FIXED,1,") == "d.csv:2: Topic Name: 'a' is no full topic name");
  CHECK(error("/a,fixed,1,") == "d.csv:2: Delay Type: 'fixed' is neither FIXED nor MEASURED");
  CHECK(error("/a,FIXED,1,\n/a,FIXED,2,") == "d.csv:3: Topic Name: '/a' has a delay already, at d.csv:2");
  CHECK(error("/a,MEASURED,,1.0")
            .find("d.csv:2: Delay Type: MEASURED depends on the machine that runs it; give a trace file") == 0);
  CHECK(parse_delay_csv("", "d.csv").error().message() == "d.csv: is empty; the first line names the columns");
}

TEST_CASE("a trace file has one duration a line") {
  CHECK(*parse_delay_trace("# by hand\n10ms\n\n1500ns\n", "t") ==
        std::vector<Duration>{Duration(10'000'000), Duration(1500)});
  CHECK(parse_delay_trace("10ms\n11\n", "t").error().message() == "t:2: '11' has no unit (ns, us, ms or s)");
  CHECK(parse_delay_trace("#\n", "t").error().message() == "t: has no samples");
}

}  // namespace delay_test
