#include "adapters/ros2/memory_wire.h"

#include <doctest/doctest.h>

#include <std_srvs/srv/set_bool.hpp>

#include "adapters/ros2/services.h"

namespace memory_wire_test {

using namespace convoy;
using namespace convoy::ros2;
using std_srvs::srv::SetBool;

namespace {

constexpr const char* kTopic = "rt/chatter";
EndpointSpec spec(Qos qos = {}, std::string type = "T") { return {kTopic, std::move(type), qos, {}}; }

int taken(WireReader& reader) {
  int out = 0;
  for (Received got; reader.take(got);) ++out;
  return out;
}

}  // namespace

TEST_CASE("writers and readers meet by topic, type and quality, and part with their ends") {
  MemoryBus bus;
  auto a = *bus.open("a"), b = *bus.open("b");
  auto writer = *a->make_writer(spec({.reliable = false}));
  auto best_effort = *b->make_reader(spec({.reliable = false}));
  auto reliable = *a->make_reader(spec());
  CHECK(writer->matched() == 1);
  CHECK(writer->matches(best_effort->guid()));
  CHECK(reliable->matched() == 0);
  auto other = *a->make_reader(spec({.reliable = false}, "U"));
  CHECK(other->matched() == 0);

  CHECK(writer->write(Bytes{1, 2, 3, 4}) == 1);
  CHECK(taken(*other) == 0);
  CHECK(b->take_ready() == std::vector<WireReader*>{best_effort.get()});
  CHECK(b->take_ready().empty());
  CHECK(taken(*best_effort) == 1);
  best_effort.reset();
  CHECK(writer->matched() == 0);
}

TEST_CASE("a reader keeps as many samples as its depth, and who comes late gets what was latched") {
  MemoryBus bus;
  auto a = *bus.open("a"), b = *bus.open("b");
  auto writer = *a->make_writer(spec(kLatched));
  auto early = *b->make_reader(spec({.depth = 2}));
  for (int i = 0; i < 5; ++i) (void)writer->write(Bytes{1, 2, 3, 4});
  auto late = *b->make_reader(spec(kLatched));
  CHECK(taken(*early) == 2);
  CHECK(taken(*late) == 1);
}

TEST_CASE("wires learn of each other's participants and endpoints, and of their ends") {
  MemoryBus bus;
  auto a = *bus.open("a");
  auto writer = *a->make_writer({kTopic, "T", {}, "typehash=x;"});
  auto b = *bus.open("b");
  auto seen = b->take_discoveries();
  REQUIRE(seen.size() == 2);
  CHECK(seen[0].participant.user_data == "a");
  CHECK(seen[1].endpoint.user_data == "typehash=x;");
  CHECK(seen[1].endpoint.guid == writer->guid());
  CHECK(same_participant(writer->guid(), a->guid()));
  writer.reset(), a.reset();
  seen = b->take_discoveries();
  REQUIRE(seen.size() == 2);
  CHECK(seen[0].kind == Discovery::Kind::kEndpointGone);
  CHECK(seen[1].kind == Discovery::Kind::kParticipantGone);
}

TEST_CASE("a service answers over it, each caller its own calls") {
  MemoryBus bus;
  auto here = *Domain::open(bus.opener(), {.run = "run"}), there = *Domain::open(bus.opener(), {});
  Node server(*here, "/", "server"), caller(*there, "/", "caller");
  std::unique_ptr<Service> service;
  service =
      std::move(*serve<SetBool>(server, "flip", [&](const SetBool::Request& request, const ServiceRequest& asked) {
        SetBool::Response response;
        response.success = !request.data;
        reply(*service, asked.from, response);
      }));
  auto client = *caller.client("flip", ros::ServiceSupport::of<SetBool>());
  Moment now{};
  const auto spin = [&] { here->spin(now), there->spin(now), now += std::chrono::milliseconds(10); };
  spin(), spin();
  REQUIRE(client->ready());
  std::vector<bool> answers;
  for (const bool data : {true, false}) {
    SetBool::Request request;
    request.data = data;
    client->call(*ros::TypeSupport::of<SetBool::Request>().to_cdr(&request), kNever, [&](Result<Bytes> reply) {
      answers.push_back(message_in<SetBool::Response>(*there, *reply)->success);
    });
  }
  for (int i = 0; i < 5; ++i) spin();
  CHECK(answers == std::vector<bool>{false, true});
}

}  // namespace memory_wire_test
