// Callers outside: what they publish to an agent's nodes, and what its services respond to them.
#include "agent/outsider.h"

#include <doctest/doctest.h>

#include "agent/clerk_rig.h"
#include "agent/fleet_rig.h"

namespace outsider_test {

using namespace convoy;
using namespace convoy::testing;
using namespace std::chrono_literals;

namespace {

Setup two() {
  Setup setup;
  setup.models = built_in_models();
  setup.network.delay = 3ms;
  setup.nodes.start = 1s;
  setup.entities = {clerk("r1", 1), clerk("r2", 2)};
  return setup;
}

const WorldNumber r1{1}, r2{2};

PublishMessage order(WorldNumber agent, const char* text, const char* holder = "") {
  return {agent, "/orders", "test_msgs/msg/Word", text, holder};
}
CallService call(WorldNumber agent, const char* text, std::uint64_t id, const char* holder = "") {
  return {agent, agent == r1 ? "/r1/echo" : "/r2/echo", "test_msgs/srv/Echo", text, id, holder};
}

SerialExecutor the_executor;

NodesAnswer ask(FleetRig& rig, const NodesQuestion& question) {
  NodesAnswer all;
  for (std::size_t i = 0; i < 2 && i < rig.world().entities().size(); ++i) {
    Fleet* fleet = rig.owner_of(WorldNumber(static_cast<std::uint32_t>(i + 1)));
    if (i == 1 && fleet == rig.owner_of(r1)) break;
    NodesAnswer answer;
    REQUIRE(load(fleet->answer(save(question)), answer));
    all.takers.insert(all.takers.end(), answer.takers.begin(), answer.takers.end());
    all.responses.insert(all.responses.end(), answer.responses.begin(), answer.responses.end());
  }
  return all;
}

std::string responses(FleetRig& rig, std::uint64_t id) {
  std::string out;
  for (const auto& r : ask(rig, {NodesQuestion::Kind::kResponse, id}).responses)
    out += std::to_string(r.agent.value()) + " " + std::to_string(nanos(r.at) / 1000000) + " " + r.text + r.why;
  return out;
}

}  // namespace

TEST_CASE("what is published from outside reaches the nodes of its agent, and of others, whoever runs them") {
  std::uint64_t digest = 0;
  for (int fleets : {1, 2}) {
    Clerks factory;
    FleetRig rig(two(), fleets, the_executor, &factory);
    while (rig.tick() < 20) {
      std::vector<Input> inputs;
      if (rig.tick() == 10) inputs = {order(r2, "go"), SetParameter{r2, "/r2/clerk", "speed", "3"}, order(r2, "on")};
      rig.step(inputs);
    }

    // In the order of the journal, each message an event of the instant.
    CHECK(factory.stories["r2"] == std::vector<std::string>{"1100 speed = 3", "1100 heard go", "1100 heard on"});
    CHECK(factory.stories["r1"] == std::vector<std::string>{"1113 heard go", "1113 heard on"});
    if (fleets == 1) digest = rig.digest();
    CHECK(rig.digest() == digest);
  }
  Clerks factory;
  FleetRig without(two(), 1, the_executor, &factory);
  while (without.tick() < 20) without.step();
  CHECK(without.digest() != digest);
}

TEST_CASE("a service that is called from outside responds when it does, and who asks for that changes no digest") {
  std::uint64_t digest = 0;
  for (bool looked : {false, true}) {
    Clerks factory;
    FleetRig rig(two(), 2, the_executor, &factory);
    std::string before;
    while (rig.tick() < 20) {
      std::vector<Input> inputs;
      if (rig.tick() == 10) inputs = {call(r1, "hello", 71), call(r1, "silence", 72), call(r2, "you", 73)};
      rig.step(inputs);
      if (looked && rig.tick() == 12) before = responses(rig, 71);
    }
    CHECK(factory.stories["r1"] == std::vector<std::string>{"1100 asked hello", "1100 asked silence"});
    if (looked) {
      CHECK(before.empty());
      CHECK(responses(rig, 71) == "1 1120 hello again\n");
      CHECK(responses(rig, 72).empty());
      CHECK(responses(rig, 73) == "2 1120 you again\n");
      CHECK(responses(rig, 74).empty());
      CHECK(rig.digest() == digest);
    }
    digest = rig.digest();
  }
}

// What goes in and out in bytes, at the agent's own outlet.
OutsideTraffic traffic(WorldNumber agent, OutsideTraffic::Kind kind, const char* name, std::uint64_t number,
                       const char* text, const char* holder = "") {
  const bool topic = kind == OutsideTraffic::Kind::kMessage;
  return {agent, kind, name, topic ? "test_msgs/msg/Word" : "test_msgs/srv/Echo", number, save(Word{text}), holder};
}
std::string word_of(ByteView bytes) {
  Word word;
  return load(bytes, word) ? word.text : "no word";
}

TEST_CASE(
    "messages, requests and services of programs outside pass in bytes, and who takes what leaves changes no digest") {
  using Kind = OutsideTraffic::Kind;
  std::uint64_t digest = 0;
  for (bool taken : {false, true}) {
    Clerks factory;
    FleetRig rig(two(), 2, the_executor, &factory);
    std::vector<std::string> left;
    const auto outlet = [&] { return rig.owner_of(r1)->agent(r1)->equipment().nodes->outlet(); };
    while (rig.tick() < 24) {
      std::vector<Input> inputs;
      if (rig.tick() == 2) inputs = {traffic(r1, Kind::kMessage, "/orders", 0, "plan early")};
      if (rig.tick() == 5 && taken)
        outlet()->use(), outlet()->collect("/r1/say", true), outlet()->collect("/none", true);
      if (rig.tick() == 10)
        inputs = {traffic(r1, Kind::kMessage, "/orders", 0, "say so"),
                  traffic(r1, Kind::kRequest, "/r1/echo", 71, "hello"), traffic(r1, Kind::kOffer, "/planner", 0, ""),
                  traffic(r1, Kind::kMessage, "/orders", 0, "plan a way"),
                  traffic(r1, Kind::kMessage, "/orders", 0, "plan another")};
      // The second first; and one to nobody.
      if (rig.tick() == 15)
        inputs = {
            traffic(r1, Kind::kResponse, "/planner", 2, "left"), traffic(r1, Kind::kResponse, "/planner", 9, "lost"),
            traffic(r1, Kind::kResponse, "/planner", 1, "right"), traffic(r1, Kind::kResponse, "/planner", 1, "again")};
      if (rig.tick() == 18)
        inputs = {traffic(r1, Kind::kWithdraw, "/planner", 0, ""),
                  traffic(r1, Kind::kMessage, "/orders", 0, "plan late")};
      rig.step(inputs);
      if (!taken) continue;
      CHECK(outlet()->offered().count("/planner") == (rig.tick() > 10 && rig.tick() <= 18));
      const NodesOutlet::Taken all = outlet()->take();
      for (const auto& m : all.messages) left.push_back("says " + word_of(m.bytes));
      for (const auto& m : all.requests)
        left.push_back("asks " + m.service + " " + std::to_string(m.number) + " " + word_of(m.bytes));
      for (const auto& m : all.responses)
        left.push_back("answers " + std::to_string(m.number) + " " + word_of(m.bytes));
    }
    CHECK(factory.stories["r2"].empty());  // each agent is given them by itself
    CHECK(factory.stories["r1"] ==
          std::vector<std::string>{"1020 heard plan early", "1020 nobody plans", "1100 heard say so",
                                   "1100 asked hello", "1100 heard plan a way", "1100 heard plan another",
                                   "1150 told left", "1150 told right", "1180 heard plan late", "1180 nobody plans"});
    if (taken) {
      CHECK(left == std::vector<std::string>{"says so", "asks /planner 1 a way", "asks /planner 2 another",
                                             "answers 71 hello again"});
      CHECK(rig.digest() == digest);
    }
    digest = rig.digest();
  }
}

TEST_CASE("a service of programs outside is known to the agent that it is offered to alone") {
  using Kind = OutsideTraffic::Kind;
  Clerks factory;
  FleetRig rig(two(), 2, the_executor, &factory);
  while (rig.tick() < 20) {
    std::vector<Input> inputs;
    if (rig.tick() == 5) inputs = {traffic(r1, Kind::kOffer, "/planner", 0, "")};
    if (rig.tick() == 10) inputs = {traffic(r2, Kind::kMessage, "/orders", 0, "plan it")};
    rig.step(inputs);
  }
  CHECK(factory.stories["r2"] == std::vector<std::string>{"1100 heard plan it", "1100 nobody plans"});
}

TEST_CASE("bytes that are no such message, other types, and a leased robot: nothing comes in") {
  using Kind = OutsideTraffic::Kind;
  Clerks factory;
  FleetRig rig(two(), 1, the_executor, &factory);
  while (rig.tick() < 5) rig.step();
  OutsideTraffic torn = traffic(r1, Kind::kMessage, "/orders", 0, "torn");
  torn.bytes.resize(3);
  OutsideTraffic other = traffic(r1, Kind::kMessage, "/orders", 0, "other");
  other.type = "test_msgs/msg/Other";
  OutsideTraffic torn_call = traffic(r1, Kind::kRequest, "/r1/echo", 3, "torn");
  torn_call.bytes.clear();
  rig.step(std::vector<Input>{
      torn, other, torn_call, traffic(r1, Kind::kMessage, "/order", 0, "nowhere"),
      traffic(r1, Kind::kRequest, "/none", 4, "nobody"), traffic(r1, Kind::kOffer, "/none", 0, ""),
      traffic(r1, Kind::kResponse, "/planner", 1, "unasked"), traffic(r1, Kind::kWithdraw, "/planner", 0, "")});
  CHECK(factory.stories["r1"].empty());
  REQUIRE(rig.edit(Lease{{r1}, "ann", Lease::Kind::kTake}));
  rig.step(std::vector<Input>{traffic(r1, Kind::kMessage, "/orders", 0, "not mine", "bob"),
                              traffic(r1, Kind::kMessage, "/orders", 0, "mine", "ann"),
                              traffic(r1, Kind::kOffer, "/planner", 0, "")});
  CHECK(factory.stories["r1"] == std::vector<std::string>{"1060 heard mine"});
  CHECK(rig.owner_of(r1)->agent(r1)->equipment().nodes->outlet()->offered().count("/planner") == 1);
}

TEST_CASE("what cannot be published or asked leaves nothing behind but, for a caller, why") {
  Clerks factory;
  FleetRig rig(two(), 1, the_executor, &factory);
  while (rig.tick() < 5) rig.step();
  rig.step(std::vector<Input>{order(r1, "?"), order(r1, "much"),
                              PublishMessage{r1, "/order", "test_msgs/msg/Word", "go"},
                              PublishMessage{r1, "/orders", "test_msgs/msg/Other", "go"}, call(r1, "?", 1),
                              CallService{r1, "/r2/echo", "test_msgs/srv/Echo", "you", 2},
                              CallService{r1, "/r1/echo", "test_msgs/srv/Other", "you", 3}, call(r1, "last", 4)});
  while (rig.tick() < 10) rig.step();

  CHECK(factory.stories["r1"] == std::vector<std::string>{"1050 asked last"});
  CHECK(responses(rig, 1) == "1 1050 /r1/echo: is no word");
  CHECK(responses(rig, 2) == "1 1050 no node serves '/r2/echo'");
  CHECK(responses(rig, 3) == "1 1050 '/r1/echo' is of type test_msgs/srv/Echo, not test_msgs/srv/Other");
  CHECK(responses(rig, 4) == "1 1060 last again\n");
}

TEST_CASE("the nodes of a leased robot are given what its holder publishes and asks alone") {
  Clerks factory;
  FleetRig rig(two(), 1, the_executor, &factory);
  while (rig.tick() < 5) rig.step();
  REQUIRE(rig.edit(Lease{{r1}, "ann", Lease::Kind::kTake}));
  rig.step(std::vector<Input>{order(r1, "nobody's"), order(r1, "bob's", "bob"), order(r1, "ann's", "ann"),
                              call(r1, "bob?", 1, "bob"), call(r1, "ann?", 2, "ann")});
  while (rig.tick() < 10) rig.step();

  CHECK(factory.stories["r1"] == std::vector<std::string>{"1050 heard ann's", "1050 asked ann?"});
}

TEST_CASE("hosts tell who has a topic or a service, and whether a text is a message of it") {
  Clerks factory;
  FleetRig rig(two(), 2, the_executor, &factory);
  while (rig.tick() < 3) rig.step();
  const auto takers = [&](NodesQuestion::Kind kind, const char* name, const char* text) {
    NodesQuestion question{kind, 0, name};
    question.text = text;
    std::string out;
    for (const auto& t : ask(rig, question).takers)
      out += std::to_string(t.agent.value()) + " " + t.type + " " + std::to_string(t.takers) + t.wrong + "\n";
    return out;
  };

  CHECK(takers(NodesQuestion::Kind::kTopic, "/orders", "go") == "1 test_msgs/msg/Word 1\n2 test_msgs/msg/Word 1\n");
  CHECK(takers(NodesQuestion::Kind::kTopic, "/r2/say", "?") == "2 test_msgs/msg/Word 0is no word\n");
  CHECK(takers(NodesQuestion::Kind::kTopic, "/r1/echo", "go").empty());
  CHECK(takers(NodesQuestion::Kind::kService, "/r1/echo", "go") == "1 test_msgs/srv/Echo 1\n");
  CHECK(takers(NodesQuestion::Kind::kService, "/orders", "go").empty());
}

TEST_CASE("responses that nobody fetches do not pile up") {
  Clerks factory;
  FleetRig rig(two(), 1, the_executor, &factory);
  while (rig.tick() < 5) rig.step();
  std::vector<Input> inputs;
  for (std::uint64_t id = 0; id <= kMaxResponses; ++id) inputs.push_back(call(r1, "hello", id));
  rig.step(inputs);
  while (rig.tick() < 10) rig.step();

  CHECK(responses(rig, 0).empty());
  CHECK_FALSE(responses(rig, 1).empty());
  CHECK_FALSE(responses(rig, kMaxResponses).empty());
}

}  // namespace outsider_test
