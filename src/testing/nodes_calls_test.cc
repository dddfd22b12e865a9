// Calls that give something to the nodes inside: which agent gets it, what is refused, and what a service responds.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "agent/clerk_rig.h"
#include "testing/requests.h"
#include "testing/rig.h"

namespace nodes_calls_test {

using namespace convoy;
using namespace convoy::testing;
using namespace std::chrono_literals;

namespace {

using Lines = std::vector<std::string>;
constexpr std::uint32_t kResponses = 5;  // among LookAtNodes' kinds

Setup office() {
  Setup setup = empty_arena(10, 1);
  setup.network.delay = 3ms;
  setup.nodes.start = 1s;
  setup.entities = {clerk("r1", 0), clerk("r2", 2)};
  return setup;
}

Request publish(const std::string& topic, const std::string& yaml, const std::string& agent = "",
                const std::string& type = "") {
  Request r;
  r.mutable_publish()->set_topic(topic), r.mutable_publish()->set_yaml(yaml);
  r.mutable_publish()->set_agent(agent), r.mutable_publish()->set_type(type);
  return r;
}
Request call_service(const std::string& service, const std::string& yaml, std::uint64_t id = 1) {
  Request r;
  r.mutable_call_service()->set_service(service), r.mutable_call_service()->set_yaml(yaml);
  r.mutable_call_service()->set_id(id);
  return r;
}
nlohmann::json responses(Rig& rig, std::uint64_t id) {
  Request r;
  r.mutable_nodes()->set_kind(kResponses), r.mutable_nodes()->set_watcher(id);
  return nlohmann::json::parse(rig.call(r).json())["responses"];
}
Request as(const std::string& holder, Request request) {
  request.set_holder(holder);
  return request;
}

}  // namespace

TEST_CASE("a message goes to the agent that subscribes, by its number, or to the one that is named") {
  Clerks clerks;
  Rig rig(office(), {.paused = true, .software = &clerks});
  REQUIRE(rig.call(step(10)).error() == 0);

  const proto::Reply first = rig.call(publish("/orders", "go"));
  CHECK(first.text() == "");
  CHECK(rig.error_of(publish("/orders", "you", "r2", "test_msgs/Word")) == "");
  CHECK(rig.error_of(publish("/r2/say", "said", "", "test_msgs/msg/Word")) == "");
  REQUIRE(rig.call(step(10)).error() == 0);

  // What r2 published reaches r1 a tick and the network's delay later, and the other way round.
  const auto at = [&](const char* agent) {
    Lines out;
    for (const std::string& line : clerks.stories[agent]) out.push_back(line.substr(line.find(' ') + 1));
    return out;
  };
  CHECK(at("r1") == Lines{"heard go", "heard you"});
  CHECK(at("r2") == Lines{"heard you", "heard go"});
  Lines given;
  for (const JournalEntry& entry : rig.memory.journal())
    if (const auto* input = std::get_if<Input>(&entry.what))
      if (const auto* message = std::get_if<PublishMessage>(input)) {
        CHECK(entry.tick == first.tick());
        given.push_back(std::to_string(message->entity.value()) + " " + message->topic + " " + message->type + " " +
                        message->text);
      }
  CHECK(given == Lines{"1 /orders test_msgs/msg/Word go", "2 /orders test_msgs/msg/Word you",
                       "2 /r2/say test_msgs/msg/Word said"});
}

TEST_CASE("a response is there once it has come, for whoever has the number of the call") {
  for (const bool free : {false, true}) {
    Clerks clerks;
    Rig rig(office(), {.free = free, .software = &clerks});
    REQUIRE(rig.run_to(10));

    CHECK(rig.error_of(call_service("/r2/echo", "hello", 42)) == "");
    CHECK(rig.error_of(call_service("/r1/echo", "silence", 43)) == "");
    REQUIRE(rig.run_until([&] { return !responses(rig, 42).empty(); }));

    const nlohmann::json response = responses(rig, 42);
    CHECK(response.size() == 1);
    CHECK(response[0]["agent"] == "r2");
    CHECK(response[0]["yaml"] == "hello again\n");
    CHECK(response[0]["error"] == "");
    CHECK(responses(rig, 43).empty());
    CHECK(responses(rig, 44).empty());
  }
}

TEST_CASE("what cannot be given to nodes is refused with what is wrong, and stands in no journal") {
  Clerks clerks;
  Rig rig(office(), {.paused = true, .software = &clerks});
  REQUIRE(rig.call(step(10)).error() == 0);

  CHECK(rig.error_of(publish("orders", "go")) == "the topic 'orders' is not named in full, as /scout/cmd_vel");
  CHECK(rig.error_of(publish("/order", "go")) == "no node has the topic '/order'; did you mean '/orders'?");
  CHECK(rig.error_of(publish("/zzzzzzzzzzzzz", "go")) == "no node has the topic '/zzzzzzzzzzzzz'");
  CHECK(rig.error_of(publish("/r1/say", "go", "r2")) ==
        "no node of 'r2' has the topic '/r1/say'; did you mean '/r2/say'?");
  CHECK(rig.error_of(publish("/orders", "go", "r3")) == "unknown agent 'r3'; did you mean 'r1'?");
  CHECK(rig.error_of(publish("/orders", "go", "", "std_msgs/msg/String")) ==
        "the topic '/orders' is of type test_msgs/msg/Word, not std_msgs/msg/String");
  CHECK(rig.error_of(publish("/orders", "?")) == "test_msgs/msg/Word: is no word");
  CHECK(rig.error_of(publish("/orders", std::string(kMaxPublishedText + 1, 'x'))) ==
        "the text is longer than 65536 bytes");
  CHECK(rig.error_of(publish("/orders", "much")).find("at most 1048576 can be published so") != std::string::npos);
  CHECK(rig.error_of(call_service("/r1/eco", "go")) == "no node serves '/r1/eco'; did you mean '/r1/echo'?");
  CHECK(rig.error_of(call_service("/orders", "go")) == "no node serves '/orders'");
  CHECK(rig.error_of(call_service("/r1/echo", "?")) == "test_msgs/srv/Echo: is no word");
  CHECK(rig.memory.journal().empty());
  Request lease;
  lease.mutable_lease()->add_names("r1"), lease.set_holder("ann");
  CHECK(rig.error_of(lease) == "");
  CHECK(rig.error_of(publish("/orders", "go")) == "'ann' has leased 'r1'");
  CHECK(rig.error_of(as("bob", call_service("/r1/echo", "go"))) == "'ann' has leased 'r1'");
  CHECK(rig.error_of(as("ann", publish("/orders", "go"))) == "");
  CHECK(rig.error_of(publish("/orders", "go", "r2")) == "");

  const std::size_t sensors = rig.add_caller("sensors", PeerRole::kSensorHost);
  CHECK(rig.error_of(publish("/orders", "go"), sensors) == "a sensor host may not make this call");
  CHECK(rig.error_of(call_service("/r1/echo", "go"), sensors) == "a sensor host may not make this call");
}

}  // namespace nodes_calls_test
