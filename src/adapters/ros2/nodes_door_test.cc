// The nodes of the run as nodes of ROS 2: what they say and serve, what they hear and ask.
#include "adapters/ros2/nodes_door.h"

#include <algorithm>

#include "adapters/ros2/testing.h"
#include "agent/clerk_rig.h"

namespace nodes_door_test {

using namespace convoy;
using namespace convoy::ros2;
using testing::Clerks;
using testing::kEcho;
using testing::kWord;
using testing::Word;

namespace {

Setup with_clerks(std::uint32_t domain) {
  Setup setup = testing::empty_arena(10, 1);
  setup.nodes.start = std::chrono::seconds(1);
  setup.entities = {testing::clerk("r1", 1), testing::clerk("r2", 3)};
  setup.entities[0].domain = domain;
  return setup;
}

std::string word_of(ByteView bytes) {
  Word word;
  return load(bytes, word) ? word.text : "no word";
}

// Two agents with nodes; the door is that of the first one's host.
struct Office {
  explicit Office(Settings settings = {.ns = "/"}, std::uint32_t domain = 0)
      : rig({.setup = with_clerks(domain), .paused = false, .settings = std::move(settings), .software = &clerks}) {
    orders = std::move(*rig.caller->publisher("/orders", TypeName(kWord)));
  }
  // What the story of the first agent ends with, once it has another line.
  std::string next_line() {
    const std::vector<std::string>& story = clerks.stories["r1"];
    const bool came = rig.until([&] { return story.size() > told; }, 5);
    if (!came) return "nothing";
    const std::string& line = story[told++];
    return line.substr(line.find(' ') + 1);
  }
  void order(const std::string& what) {
    REQUIRE(rig.until([&] { return orders->wanted(); }, 5));
    orders->publish(save(Word{what}));
  }

  Clerks clerks;
  DoorRig rig;
  std::unique_ptr<Publisher> orders;
  std::size_t told = 0;
};

}  // namespace

TEST_CASE(
    "what nodes publish leaves for who subscribes, and what is published comes in, once and to this door's agents") {
  Office office;
  std::vector<std::string> heard;
  const auto said = std::move(*office.rig.caller->subscription(
      "/r1/say", TypeName(kWord), {}, [&](const Received& sample) { heard.push_back(word_of(sample.cdr)); }));
  REQUIRE(office.rig.until([&] { return said->matched() == 1; }));
  office.order("say good morning");
  CHECK(office.next_line() == "heard say good morning");
  CHECK(office.rig.until([&] { return !heard.empty(); }));
  CHECK(heard == std::vector<std::string>{"good morning"});
  CHECK(office.next_line() == "nothing");
  CHECK(office.clerks.stories["r2"].empty());  // its host has no door here
  CHECK(office.rig.outside->graph().nodes() == std::vector<std::string>{"/r1/clerk", "/r1/robot", "/simulation"});
}

TEST_CASE("a service of a node answers programs outside, each its own request") {
  Office office;
  const auto client = std::move(*office.rig.caller->client("/r1/echo", kEcho));
  REQUIRE(office.rig.until([&] { return client->ready(); }));
  std::vector<std::string> replies;
  for (const char* words : {"one", "silence", "two"})
    client->call(
        save(Word{words}), office.rig.rig.net.now() + std::chrono::seconds(2),
        [&](const Result<Bytes>& reply) { replies.push_back(reply ? word_of(*reply) : reply.error().message()); });
  CHECK(office.rig.until([&] { return replies.size() == 3; }, 5));
  CHECK(replies == std::vector<std::string>{"one again", "two again", "no reply of /r1/echo"});
}

TEST_CASE("a node calls what programs outside serve, while they do") {
  Office office;
  office.order("plan early");
  CHECK(office.next_line() == "heard plan early");
  CHECK(office.next_line() == "nobody plans");
  std::unique_ptr<Service> planner;
  planner = std::move(*office.rig.caller->service("/planner", kEcho, [&](const ServiceRequest& asked) {
    planner->reply(asked.from, save(Word{"by " + word_of(asked.cdr)}));
  }));
  // Until it is known there, nobody plans.
  std::string last;
  for (int i = 0; i < 20 && last != "told by land"; ++i) {
    office.order("plan land");
    CHECK(office.next_line() == "heard plan land");
    last = office.next_line();
  }
  CHECK(last == "told by land");
  planner.reset();
  for (int i = 0; i < 20 && last != "nobody plans"; ++i) {
    office.order("plan late");
    CHECK(office.next_line() == "heard plan late");
    last = office.next_line();
  }
  CHECK(last == "nobody plans");
}

TEST_CASE(
    "what another process of the run says, bytes that are no such message, and what no tick can hold stay outside") {
  Office office;
  const auto own = *Domain::open(office.rig.bus.opener(), {.run = "run"});
  Node twin(*own, "/", "twin");
  const auto orders = std::move(*twin.publisher("/orders", TypeName(kWord)));
  REQUIRE(office.rig.until(
      [&] { return own->spin(office.rig.rig.net.now()), orders->wanted() && office.orders->wanted(); }));
  orders->publish(save(Word{"of our own"}));
  office.orders->publish(Bytes{1, 2, 3});
  office.orders->publish(save(Word{std::string(kMaxTrafficBytes, 'x')}));
  office.orders->publish(save(Word{"of others"}));
  CHECK(office.next_line() == "heard of others");
  CHECK(office.next_line() == "nothing");
  CHECK(office.rig.count("ros2_malformed") == 1);
  CHECK(office.rig.count("ros2_too_large") == 1);
}

TEST_CASE("a node that goes leaves what others have of it to them") {
  Office office;
  office.order("hire");
  CHECK(office.next_line() == "heard hire");
  const auto notes = std::move(*office.rig.caller->publisher("/notes", TypeName(kWord)));
  const auto has = [&](const char* node) {
    const std::vector<std::string> all = office.rig.outside->graph().nodes();
    return std::find(all.begin(), all.end(), node) != all.end();
  };
  REQUIRE(office.rig.until([&] { return has("/first") && has("/second") && notes->wanted(); }));
  notes->publish(save(Word{"of two"}));
  CHECK(office.next_line() == "first notes of two");
  CHECK(office.next_line() == "second notes of two");

  office.order("fire");
  CHECK(office.next_line() == "heard fire");
  REQUIRE(office.rig.until([&] { return !has("/first") && notes->wanted(); }));
  CHECK(has("/second"));
  notes->publish(save(Word{"of one"}));
  CHECK(office.next_line() == "second notes of one");
}

TEST_CASE("a message as large as may be comes in, and what follows it") {
  Office office;
  const std::size_t frame = save(Word{""}).size();
  const std::string much(kMaxTrafficBytes - frame, 'x');
  office.order(much);
  office.order("more");
  CHECK(office.next_line() == "heard " + much);
  CHECK(office.next_line() == "heard more");
}

TEST_CASE("without nodes in its settings, and for graphs of other domains, all of that stays inside") {
  const auto nodes_of = [](Settings settings, std::uint32_t domain) {
    Office office(std::move(settings), domain);
    office.rig.until([&] { return false; }, 1);
    return office.rig.outside->graph().nodes();
  };
  const std::vector<std::string> without{"/r1/robot", "/simulation"};
  CHECK(nodes_of({.ns = "/", .nodes = false}, 0) == without);
  CHECK(nodes_of({.ns = "/"}, 3) == without);
  CHECK(nodes_of({.ns = "/", .domain = 3}, 3).size() == 3);
  CHECK(nodes_of({.ns = "/", .domain = 3}, 0).size() == 3);
}

}  // namespace nodes_door_test
