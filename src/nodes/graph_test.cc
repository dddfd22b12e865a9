#include "nodes/graph.h"

#include <doctest/doctest.h>

#include "nodes/test_types.h"

namespace graph_test {

using namespace convoy;
using namespace convoy::nodes;
using namespace convoy::nodes::testing;

namespace {

struct Lists final : Log {
  void line(LogLevel, const std::string& text) override { lines.push_back(text); }
  Lines lines;
};

}  // namespace

TEST_CASE("what follows from a timer is done before the next timer, breadth first") {
  Graph graph({});
  Story story(graph);
  auto a = node(graph, "a"), b = node(graph, "b");
  auto in = publisher(a, "in"), mid = publisher(b, "mid");
  auto first = a->create_timer({.period = Duration(10), .callback = [&] { story.note("first"), say(in, "1"); }});
  auto second = a->create_timer({.period = Duration(10), .callback = [&] { story.note("second"), say(in, "2"); }});
  auto left = subscription(b, "in", [&](Delivery& d) { story.note("left " + text(d)), say(mid, text(d) + "l"); });
  auto right = subscription(a, "in", [&](Delivery& d) { story.note("right " + text(d)), say(mid, text(d) + "r"); });
  auto end = subscription(b, "mid", story.hears("end"));

  REQUIRE(run_until(graph, instant(10)));

  CHECK(story.lines == Lines{"10 first", "10 left 1", "10 right 1", "10 end: 1l", "10 end: 1r", "10 second",
                             "10 left 2", "10 right 2", "10 end: 2l", "10 end: 2r"});
}

TEST_CASE("subscriptions receive in the order of their creation, whenever the publisher came") {
  for (bool publisher_first : {true, false}) {
    Graph graph({});
    Story story(graph);
    auto a = node(graph, "a"), b = node(graph, "b");
    Owned<Publisher> out;
    if (publisher_first) out = publisher(a, "t");
    std::vector<Owned<Subscription>> all;
    for (int i = 0; i < 5; ++i)
      all.push_back(subscription(i % 2 ? a : b, "t", story.hears(std::to_string(i)), {}, i == 0 || i == 3));
    if (!publisher_first) out = publisher(a, "t");
    all.erase(all.begin() + 2);
    say(out, "x");

    REQUIRE(graph.run_instant(instant(1)));

    CHECK(story.lines == Lines{"1 0: x", "1 1: x", "1 3: x", "1 4: x"});
  }
}

TEST_CASE("one owner gets the published object itself, without a copy") {
  Graph graph({});
  auto a = node(graph, "a");
  auto out = publisher(a, "t");
  void* got = nullptr;
  auto in = subscription(
      a, "t", [&](Delivery& d) { got = d.message.take(); }, {}, true);
  auto* word = new Word{"x"};
  out->publish(MessageValue::owned(kWord, word));
  REQUIRE(graph.run_instant(instant(0)));

  CHECK(got == word);
  kWord.destroy(got);
}

TEST_CASE("sharers share one object; each owner but the last gets a copy, the last the object itself") {
  Graph graph({});
  auto a = node(graph, "a");
  auto out = publisher(a, "t");
  std::vector<const void*> shared, owned;
  std::vector<MessageValue> keep;
  const auto share = [&](Delivery& d) { shared.push_back(d.message.get()), keep.push_back(std::move(d.message)); };
  const auto own = [&](Delivery& d) {
    CHECK(d.message.is_owned());
    owned.push_back(d.message.get()), keep.push_back(std::move(d.message));
  };
  auto s1 = subscription(a, "t", share);
  auto o1 = subscription(a, "t", own, {}, true);
  auto s2 = subscription(a, "t", share);
  auto o2 = subscription(a, "t", own, {}, true);
  auto* word = new Word{"x"};
  out->publish(MessageValue::owned(kWord, word));
  REQUIRE(graph.run_instant(instant(0)));

  REQUIRE(shared.size() == 2);
  REQUIRE(owned.size() == 2);
  CHECK(shared[0] == shared[1]);
  CHECK(shared[0] != word);
  CHECK(owned[0] != word);
  CHECK(owned[0] != shared[0]);
  CHECK(owned[1] == word);
}

TEST_CASE("a full queue drops its oldest; the k-th event takes what is then in front, the last ones find nothing") {
  Graph graph({});
  Story story(graph);
  auto a = node(graph, "a"), b = node(graph, "b");
  auto out = publisher(a, "t"), mark = publisher(a, "mark");
  auto marks = subscription(b, "mark", story.hears("mark"));
  auto in = subscription(b, "t", story.hears("b"), {.depth = 2});
  for (const char* word : {"1", "2", "3"}) say(out, word), say(mark, word);
  const auto before = graph.callbacks();

  REQUIRE(graph.run_instant(instant(0)));

  CHECK(story.lines == Lines{"0 b: 2", "0 mark: 1", "0 b: 3", "0 mark: 2", "0 mark: 3"});
  CHECK(in->dropped() == 1);
  CHECK(graph.callbacks() - before == 5);
}

TEST_CASE("a late subscriber gets what transient local publishers kept, and no more than its own depth") {
  Graph graph({});
  Story story(graph);
  auto a = node(graph, "a"), b = node(graph, "b");
  auto out = publisher(a, "map", {.depth = 3, .transient_local = true});
  for (const char* word : {"1", "2", "3", "4"}) say(out, word);
  auto all = subscription(b, "map", story.hears("all"), {.transient_local = true});
  auto last = subscription(b, "map", story.hears("last"), {.depth = 1, .transient_local = true});
  auto none = subscription(b, "map", story.hears("volatile"));
  say(out, "5");

  REQUIRE(graph.run_instant(instant(0)));

  CHECK(story.lines == Lines{"0 all: 2", "0 all: 3", "0 all: 4", "0 last: 5", "0 all: 5", "0 volatile: 5"});
}

TEST_CASE("an offer that is too little connects no one, and a warning reports it") {
  Lists log;
  Graph graph({.log = &log});
  Story story(graph);
  auto a = node(graph, "a"), b = node(graph, "b");
  auto best_effort = publisher(a, "t", {.reliable = false});
  auto demanding = subscription(b, "t", story.hears("reliable"));
  auto content = subscription(b, "t", story.hears("best effort"), {.reliable = false});
  say(best_effort, "x");

  REQUIRE(graph.run_instant(instant(0)));

  CHECK(story.lines == Lines{"0 best effort: x"});
  CHECK(best_effort->subscription_count() == 1);
  CHECK(log.lines ==
        Lines{"topic '/t': /a offers less reliability than /b asks for; no messages will go from one to the other"});
}

TEST_CASE("one name with two types is an error that names both") {
  Graph graph({});
  auto a = node(graph, "a");
  auto out = publisher(a, "t");
  const auto wrong = a->create_subscription({.topic = "/t", .type = &kOther, .callback = [](Delivery&) {}});

  REQUIRE_FALSE(wrong);
  CHECK(wrong.error().text ==
        "topic '/t' is of type test_msgs/msg/Word, and somebody wants it to be test_msgs/msg/Other");
}

TEST_CASE("a circle without a delay that ends is legal, one that does not stops the graph and is named") {
  Graph graph({.bounds = {.levels = 200}});
  Story story(graph);
  auto a = node(graph, "a"), b = node(graph, "b");
  auto ping = publisher(a, "ping"), pong = publisher(b, "pong"), feed = publisher(a, "feed");
  int left = 150;
  auto to_b = subscription(b, "ping", [&](Delivery& d) { say(pong, text(d)); });
  auto to_a = subscription(a, "pong", [&](Delivery& d) {
    if (left-- > 0) say(ping, text(d)), say(feed, "more");
  });
  auto aside = subscription(b, "feed", story.hears("feed"));

  say(ping, "x");
  left = 50;
  CHECK(graph.run_instant(instant(1)));
  CHECK(story.lines.size() == 50);

  say(ping, "x");
  left = 1'000'000;
  const auto endless = graph.run_instant(instant(2));
  REQUIRE_FALSE(endless);
  CHECK(endless.error().text.find("more than 200 messages follow from each other in the one instant 2 ns: ") == 0);
  CHECK(endless.error().text.find("/ping -> /pong -> /ping") != std::string::npos);
  CHECK(graph.next() == kNoInstant);
}

TEST_CASE("a circle through a service is named, too") {
  Graph graph({.bounds = {.levels = 100}});
  auto a = node(graph, "a");
  Owned<Service> server;
  Owned<Client> client;
  server = *a->create_service({.service = "s", .type = &kEcho, .callback = [&](Delivery& d) {
                                 server->respond({d.from, d.index}, kWord.make({"x"}));
                               }});
  client = *a->create_client(
      {.service = "s", .type = &kEcho, .callback = [&](Delivery&) { client->call(kWord.make({"x"})); }});
  client->call(kWord.make({"x"}));

  const auto endless = graph.run_instant(instant(0));

  REQUIRE_FALSE(endless);
  CHECK(endless.error().text.find("/s (") != std::string::npos);
  CHECK(endless.error().text.find("/s (request) -> /s (response)") != std::string::npos);
}

TEST_CASE("too many callbacks in one instant stop the graph: a timer without a period") {
  Graph graph({.bounds = {.events = 1000}});
  auto a = node(graph, "a");
  int calls = 0;
  auto timer = a->create_timer({.period = Duration(0), .callback = [&] { ++calls; }});

  const auto endless = graph.run_instant(instant(0));

  REQUIRE_FALSE(endless);
  CHECK(endless.error().text == "more than 1000 callbacks in the one instant 0 ns, the last for a timer of /a");
  CHECK(calls == 1000);
}

TEST_CASE("a request is answered by the first server, later ones are named in a warning") {
  Lists log;
  Graph graph({.log = &log});
  Story story(graph);
  auto a = node(graph, "a"), b = node(graph, "b"), c = node(graph, "c");
  auto client = *c->create_client({.service = "s", .type = &kEcho, .callback = [&](Delivery& d) {
                                     story.note(std::to_string(d.index) + " " + text(d));
                                   }});
  CHECK_FALSE(client->service_is_ready());
  client->call(kWord.make({"too early"}));

  Owned<Service> one, two;
  one = *a->create_service({.service = "s", .type = &kEcho, .callback = [&](Delivery& d) {
                              one->respond({d.from, d.index}, kWord.make({"one"}));
                            }});
  two = *b->create_service({.service = "s", .type = &kEcho, .callback = [&](Delivery& d) {
                              two->respond({d.from, d.index}, kWord.make({"two"}));
                            }});
  CHECK(client->service_is_ready());
  CHECK(client->call(kWord.make({"?"})) == 1);
  REQUIRE(graph.run_instant(instant(0)));
  one.reset();
  client->call(kWord.make({"?"}));
  REQUIRE(graph.run_instant(instant(1)));

  CHECK(story.lines == Lines{"0 1 one", "1 2 two"});
  CHECK(graph.lost_calls() == 1);
  CHECK(log.lines == Lines{"service '/s': nobody offers it; a request is lost",
                           "service '/s': /a answers; /b, which offers it too, will not be asked"});
}

TEST_CASE("a response may come later, and to a client that has gone it does not") {
  Graph graph({});
  Story story(graph);
  auto a = node(graph, "a");
  std::vector<CallId> open;
  auto server = *a->create_service({.service = "s", .type = &kEcho, .callback = [&](Delivery& d) {
                                      open.push_back({d.from, d.index});
                                    }});
  auto stays = *a->create_client({.service = "s", .type = &kEcho, .callback = story.hears("stays")});
  auto goes = *a->create_client({.service = "s", .type = &kEcho, .callback = story.hears("goes")});
  stays->call(kWord.make({"?"})), goes->call(kWord.make({"?"}));
  REQUIRE(graph.run_instant(instant(0)));
  REQUIRE(open.size() == 2);

  goes.reset();
  for (CallId call : {open[1], open[0]}) server->respond(call, kWord.make({"!"}));
  REQUIRE(graph.run_instant(instant(5)));

  CHECK(story.lines == Lines{"5 stays: !"});
}

TEST_CASE("entities may go inside callbacks, their own included, and outlive their graph") {
  auto graph = std::make_unique<Graph>(GraphOptions{});
  Story story(*graph);
  auto a = node(*graph, "a");
  auto out = publisher(a, "t");
  Owned<Subscription> first, second;
  Owned<Timer> timer;
  first = subscription(a, "t", [&](Delivery&) { story.note("first"), first.reset(), second.reset(); });
  second = subscription(a, "t", story.hears("second"));
  timer =
      a->create_timer({.period = Duration(1), .callback = [&] { story.note("timer"), say(out, "x"), timer.reset(); }});
  REQUIRE(run_until(*graph, instant(10)));
  CHECK(story.lines == Lines{"1 timer", "1 first"});

  auto late = subscription(a, "t", story.hears("late"));
  say(out, "pending");
  graph.reset();
  say(out, "nobody");
  CHECK(out->subscription_count() == 0);
  CHECK(late->waiting() == 1);
}

TEST_CASE("events of a held group wait, and go on in their order") {
  Graph graph({});
  Story story(graph);
  auto a = node(graph, "a"), b = node(graph, "b");
  auto out = publisher(a, "t");
  auto in_a = subscription(a, "t", story.hears("a"), {.depth = 2}), in_b = subscription(b, "t", story.hears("b"));
  auto timer = a->create_timer({.period = Duration(3), .callback = [&] { story.note("timer"); }});
  a->default_group().set_held(true);
  for (int i = 0; i < 3; ++i) {
    say(out, std::to_string(i));
    REQUIRE(graph.run_instant(instant(i)));
  }
  REQUIRE(run_until(graph, instant(7)));
  REQUIRE(graph.run_instant(instant(7)));
  CHECK(story.lines == Lines{"0 b: 0", "1 b: 1", "2 b: 2"});

  a->default_group().set_held(false);
  say(out, "new");
  REQUIRE(run_until(graph, instant(12)));
  CHECK(story.lines ==
        Lines{"0 b: 0", "1 b: 1", "2 b: 2", "7 a: 2", "7 a: new", "7 b: new", "7 timer", "9 timer", "12 timer"});
}

TEST_CASE("the digest distinguishes order, instants and, when asked, bytes") {
  const auto digest = [](bool bytes, const char* word, std::int64_t period, bool swapped) {
    Graph graph({.digest_messages = bytes});
    auto a = node(graph, "a");
    auto t = publisher(a, "t"), u = publisher(a, "u");
    auto in = subscription(a, "t", [](Delivery&) {});
    auto timer = a->create_timer(
        {.period = Duration(period), .callback = [&] { say(swapped ? u : t, word), say(swapped ? t : u, word); }});
    REQUIRE(run_until(graph, instant(100)));
    return graph.digest();
  };
  const auto reference = digest(false, "x", 10, false);

  CHECK(digest(false, "x", 10, false) == reference);
  CHECK(digest(false, "y", 10, false) == reference);
  CHECK(digest(false, "x", 11, false) != reference);
  CHECK(digest(false, "x", 10, true) != reference);
  CHECK(digest(true, "x", 10, false) != digest(true, "y", 10, false));
}

TEST_CASE("asking for a digest changes none that comes later") {
  Graph asked({}), silent({});
  for (Graph* graph : {&asked, &silent}) {
    auto a = node(*graph, "a");
    auto t = publisher(a, "t");
    for (int i = 0; i < 200; ++i) {
      say(t, "x");
      if (graph == &asked) graph->digest();
    }
  }
  CHECK(asked.digest() == silent.digest());
}

TEST_CASE("taps and counts see what is published and change nothing") {
  Graph watched({}), alone({});
  Lines received;
  for (Graph* graph : {&watched, &alone}) {
    auto a = node(*graph, "a");
    auto t = publisher(a, "t");
    auto in = subscription(
        a, "t", [](Delivery&) {}, {}, true);
    if (graph == &watched) {
      REQUIRE(graph->tap("/t", [&](const Delivery& d) { received.push_back(text(d)); }));
      CHECK_FALSE(graph->tap("/nowhere", [](const Delivery&) {}));
    }
    auto timer = a->create_timer({.period = Duration(5), .callback = [&] { say(t, "x"); }});
    REQUIRE(run_until(*graph, instant(12)));
    CHECK(graph->topics().at("/t")->count() == 2);
    CHECK(graph->topics().at("/t")->last() == instant(10));
  }
  CHECK(received == Lines{"x", "x"});
  CHECK(watched.digest() == alone.digest());
}

TEST_CASE("a graph cut in two along its delays behaves as the same graph in one agent") {
  const Duration delay(10);
  // Two talkers answer each other; `cut`: each in a graph of its own, messages carried over by hand.
  const auto build = [&](Graph& graph, Story& story, int who, std::vector<Owned<Node>>& nodes, auto& keep) {
    const std::string me = who == 0 ? "a" : "b", mine = who == 0 ? "/from_a" : "/from_b",
                      other = who == 0 ? "/from_b" : "/from_a";
    nodes.push_back(*graph.create_node({.name = me, .origin = WorldNumber(static_cast<std::uint32_t>(who))}));
    Node& node = *nodes.back();
    keep.out.push_back(*node.create_publisher({.topic = mine, .type = &kWord}));
    Publisher* out = keep.out.back().get();
    keep.in.push_back(
        *node.create_subscription({.topic = other, .type = &kWord, .callback = [&story, me, out](Delivery& d) {
                                     story.note(me + ": " + text(d));
                                     if (text(d).size() < 6) out->publish(kWord.make({text(d) + me}));
                                   }}));
    // Both subscribe to both, so that messages of two senders are due together.
    keep.in.push_back(
        *node.create_subscription({.topic = "/both", .type = &kWord, .callback = story.hears(me + " both")}));
    keep.out.push_back(*node.create_publisher({.topic = "/both", .type = &kWord}));
    Publisher* both = keep.out.back().get();
    keep.timers.push_back(node.create_timer({.period = Duration(who == 0 ? 20 : 15), .callback = [me, out, both] {
                                               out->publish(kWord.make({me})), both->publish(kWord.make({me}));
                                             }}));
  };
  struct Keep {
    std::vector<Owned<Publisher>> out;
    std::vector<Owned<Subscription>> in;
    std::vector<Owned<Timer>> timers;
  };
  std::vector<DelayRule> rules;
  for (const char* topic : {"/from_a", "/from_b", "/both"}) rules.push_back({.name = topic, .delay = {.low = delay}});

  Graph one({.delays = rules});
  Story together(one);
  Keep keep;
  std::vector<Owned<Node>> nodes;
  for (int who : {1, 0}) build(one, together, who, nodes, keep);  // in another order than their numbers
  REQUIRE(run_until(one, instant(200)));

  Graph cut_a({.delays = rules}), cut_b({.delays = rules});
  Graph* cut[] = {&cut_a, &cut_b};
  Story apart_a(cut_a), apart_b(cut_b);
  Keep keep_a, keep_b;
  std::vector<Owned<Node>> node_a, node_b;
  build(cut_a, apart_a, 0, node_a, keep_a);
  build(cut_b, apart_b, 1, node_b, keep_b);
  // Each receives what the other publishes.
  struct Other final : Outside {
    std::vector<WorldNumber> subscribers(std::string_view) const override { return {WorldNumber(7)}; }
    WorldNumber server(std::string_view) const override { return kNoEntity; }
  } other;
  for (Graph* graph : cut) graph->set_outside(&other);
  for (std::int64_t tick = 0; tick < 200; tick += delay.count()) {
    std::vector<RemoteMessage> sent[2];
    for (int who : {0, 1}) {
      REQUIRE(run_until(*cut[who], instant(tick + delay.count() - 1)));
      sent[who] = cut[who]->take_outgoing();
    }
    for (int from : {0, 1})
      for (const RemoteMessage& message : sent[from])
        REQUIRE(
            cut[1 - from]->incoming(message, WorldNumber(static_cast<std::uint32_t>(from)), message.published + delay));
  }
  for (Graph* graph : cut) REQUIRE(run_until(*graph, instant(200)));

  const auto of = [&](const char* who) {
    Lines lines;
    for (const std::string& line : together.lines)
      if (line[line.find(' ') + 1] == who[0]) lines.push_back(line);
    return lines;
  };
  CHECK(of("a").size() > 20);
  CHECK(apart_a.lines == of("a"));
  CHECK(apart_b.lines == of("b"));
}

TEST_CASE("foreign bytes and types from another agent are errors, an unknown topic is ignored") {
  Graph graph({});
  auto a = node(graph, "a");
  auto in = subscription(a, "t", [](Delivery&) {});
  const auto message = [](const char* topic, const char* type, Bytes bytes) {
    RemoteMessage m;
    m.name = topic, m.type = type, m.bytes = std::move(bytes);
    return m;
  };
  CHECK(graph.incoming(message("/nobody", "x", {}), WorldNumber(1), instant(5)));
  CHECK_FALSE(graph.incoming(message("/t", "test_msgs/msg/Other", {}), WorldNumber(1), instant(5)));
  CHECK_FALSE(graph.incoming(message("/t", "test_msgs/msg/Word", {1, 2}), WorldNumber(1), instant(5)));
}

TEST_CASE("publishers and subscriptions are notified of each other, and of qualities that do not fit") {
  Graph graph({});
  auto a = node(graph, "a");
  Lines received;
  const auto hears = [&](const char* who) {
    return [&received, who](const Match& m) {
      received.push_back(who + std::string(" ") + std::to_string(m.change) + (m.missing ? m.missing : ""));
    };
  };
  auto out = *a->create_publisher({.topic = "t", .type = &kWord, .on_match = hears("out")});
  const auto in = [&](QoS qos, const char* who) {
    return *a->create_subscription(
        {.topic = "t", .type = &kWord, .qos = qos, .callback = [](Delivery&) {}, .on_match = hears(who)});
  };
  auto good = in({}, "good");
  auto strict = in({.transient_local = true}, "strict");
  strict.reset();
  auto leaver = in({}, "leaver");
  leaver.reset();
  out.reset();
  out = *a->create_publisher({.topic = "t", .type = &kWord, .on_match = hears("new")});

  CHECK(received == Lines{"out 1", "good 1", "out 0durability", "strict 0durability", "out 1", "leaver 1", "out -1",
                          "good -1", "new 1", "good 1"});
}

TEST_CASE("what a library adds changes no rank, and what is silent no digest") {
  const auto run = [](bool more) {
    Graph graph({.digest_messages = true});
    Owned<Node> beside;
    Owned<Publisher> log;
    Owned<Service> service;
    if (more) {
      beside = *graph.create_node({.name = "beside", .ranks = Ranks::kSilent});
      log = *beside->create_publisher({.topic = "log", .type = &kWord, .ranks = Ranks::kSilent});
    }
    auto a = node(graph, "a");
    if (more)
      service =
          *a->create_service({.service = "s", .type = &kEcho, .callback = [](Delivery&) {}, .ranks = Ranks::kSystem});
    auto out = publisher(a, "t");
    int logged = 0;
    auto in = subscription(a, "t", [&](Delivery&) {
      if (more) say(log, "line");
    });
    auto hears_log = subscription(a, "log", [&](Delivery&) { ++logged; });
    auto timer = a->create_timer({.period = Duration(10), .callback = [&] { say(out, "x"); }});
    REQUIRE(run_until(graph, instant(30)));
    CHECK(logged == (more ? 3 : 0));
    return std::pair{graph.digest(), in->rank()};
  };
  CHECK(run(true) == run(false));
}

TEST_CASE("a client that is made for others takes no response of users' clients, which come later") {
  Graph graph({});
  auto server = node(graph, "server"), user = node(graph, "user");
  Owned<Node> beside = *graph.create_node({.name = "outside", .ranks = Ranks::kSystem});
  Owned<Service> service;
  service = *server->create_service({.service = "s", .type = &kEcho, .callback = [&](Delivery& d) {
                                       service->respond({d.from, d.index}, kWord.make({text(d) + "!"}));
                                     }});
  Lines received;
  const auto client = [&](Owned<Node>& of, const std::string& name, Ranks ranks) {
    return *of->create_client({.service = "s",
                               .type = &kEcho,
                               .callback = [&, name](Delivery& d) { received.push_back(name + " " + text(d)); },
                               .ranks = ranks});
  };
  auto first = client(user, "first", Ranks::kUser);
  auto others = client(beside, "others", Ranks::kSystem);
  auto last = client(user, "last", Ranks::kUser);

  graph.begin_instant(instant(1));
  others->call(kWord.make({"a"}));
  last->call(kWord.make({"b"}));
  first->call(kWord.make({"c"}));
  REQUIRE(graph.finish_instant());

  CHECK(received == Lines{"others a!", "last b!", "first c!"});
  CHECK(last->rank() == first->rank() + 1);
}

}  // namespace graph_test
