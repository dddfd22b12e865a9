// Two domains in one process, over the machine's own network: what only Fast DDS itself can show.
#include "adapters/ros2/fastdds/participant.h"

#include <doctest/doctest.h>
#include <poll.h>

#include <chrono>
#include <std_msgs/msg/string.hpp>
#include <std_srvs/srv/set_bool.hpp>
#include <thread>

#include "adapters/ros2/services.h"
#include "os/clock.h"
#include "os/machine.h"

namespace convoy::ros2 {

namespace {

using std_msgs::msg::String;
using std_srvs::srv::SetBool;

struct NoLog final : Log {
  void line(LogLevel, const std::string&) override {}
};

// Domains of processes that test at the same time differ, mostly; nothing here minds a stranger.
std::uint32_t domain_number() { return 90 + static_cast<std::uint32_t>(os::process_id()) % 10; }

struct Pair {
  Pair() {
    for (auto* one : {&here, &there}) {
      auto opened = Domain::open(
          [this](const std::string& user_data) {
            return open_participant({.domain = domain_number(), .user_data = user_data, .reach = Reach::kLocalhost},
                                    log);
          },
          {.run = "run"});
      REQUIRE(opened);
      *one = std::move(*opened);
    }
  }
  // Spins both until it is true; false: it never was.
  template <class Truth>
  bool until(const Truth& truth) {
    const Moment end = os::now() + std::chrono::seconds(30);
    while (!truth()) {
      if (os::now() > end) return false;
      here->spin(os::now()), there->spin(os::now());
      std::vector<pollfd> all;
      for (const auto* one : {here.get(), there.get()})
        for (const int fd : one->descriptors()) all.push_back({fd, POLLIN, 0});
      ::poll(all.data(), all.size(), 2);
    }
    return true;
  }

  NoLog log;
  std::unique_ptr<Domain> here, there;
};

}  // namespace

TEST_CASE("nodes find each other, with types, hashes and qualities, and know whose run it is") {
  Pair pair;
  Node talker(*pair.here, "/scout", "talker"), listener(*pair.there, "/", "listener");
  auto publisher = talker.publisher("chatter", ros::TypeSupport::of<String>(), kLatched);
  REQUIRE(publisher);

  REQUIRE(pair.until([&] { return pair.there->graph().nodes() == std::vector<std::string>{"/scout/talker"}; }));
  bool found = false;
  REQUIRE(pair.until([&] {
    for (const auto& [guid, one] : pair.there->graph().endpoints())
      if (one.topic == "rt/scout/chatter") {
        found = true;
        CHECK(one.type == "std_msgs::msg::dds_::String_");
        CHECK(one.qos.transient_local);
        CHECK(one.user_data == "typehash=" + std::string(ros::TypeSupport::of<String>().hash()) + ";");
        CHECK(pair.there->graph().node_of(guid) == "/scout/talker");
        CHECK(pair.there->ours(guid));
      }
    return found;
  }));
}

TEST_CASE("a latched message reaches who comes later, and messages come as they were sent") {
  Pair pair;
  Node talker(*pair.here, "/", "talker"), listener(*pair.there, "/", "listener");
  auto publisher = talker.publisher("chatter", ros::TypeSupport::of<String>(), kLatched);
  String first;
  first.data = std::string(1'000'000, 'x');  // many datagrams
  publish(**publisher, first);

  std::vector<std::string> heard;
  auto subscription = listener.subscription("chatter", ros::TypeSupport::of<String>(), {.transient_local = true},
                                            [&](const Received& got) {
                                              if (const auto m = message_in<String>(*pair.there, got.cdr))
                                                heard.push_back(m->data);
                                            });
  REQUIRE(subscription);
  REQUIRE(pair.until([&] { return heard.size() == 1; }));
  CHECK(heard[0] == first.data);

  String second;
  second.data = "again";
  publish(**publisher, second);
  REQUIRE(pair.until([&] { return heard.size() == 2; }));
  CHECK(heard[1] == "again");
}

TEST_CASE("two types of one topic are one node's, in two participants") {
  Pair pair;
  Node node(*pair.here, "/", "node"), other(*pair.there, "/", "other");
  int texts = 0, flags = 0;
  auto text = node.subscription("topic", ros::TypeSupport::of<String>(), {}, [&](const Received&) { ++texts; });
  auto flag =
      node.subscription("topic", ros::TypeSupport::of<SetBool::Request>(), {}, [&](const Received&) { ++flags; });
  REQUIRE(text);
  REQUIRE(flag);
  const auto third = node.subscription("topic", ros::TypeSupport::of<SetBool::Response>(), {}, [](const Received&) {});
  REQUIRE(!third);
  CHECK(third.error().code == ErrorCode::kUnsupported);

  auto sender = other.publisher("topic", ros::TypeSupport::of<SetBool::Request>());
  REQUIRE(pair.until([&] { return (*sender)->wanted(); }));
  publish(**sender, SetBool::Request());
  REQUIRE(pair.until([&] { return flags == 1; }));
  CHECK(texts == 0);
}

TEST_CASE("a service answers calls, each its own, and calls without a server end") {
  Pair pair;
  Node server(*pair.here, "/", "server"), caller(*pair.there, "/", "caller");
  std::unique_ptr<Service> service;
  auto made = serve<SetBool>(server, "flip", [&](const SetBool::Request& request, const ServiceRequest& asked) {
    SetBool::Response response;
    response.success = !request.data, response.message = std::string(asked.type_hash);
    reply(*service, asked.from, response);
  });
  REQUIRE(made);
  service = std::move(*made);
  auto client = caller.client("flip", ros::ServiceSupport::of<SetBool>());
  REQUIRE(client);
  REQUIRE(pair.until([&] { return (*client)->ready(); }));

  std::vector<std::pair<bool, bool>> answers;
  for (int i = 0; i < 20; ++i) {
    SetBool::Request request;
    request.data = i % 2;
    (*client)->call(*ros::TypeSupport::of<SetBool::Request>().to_cdr(&request), kNever, [&, i](Result<Bytes> reply) {
      REQUIRE(reply);
      const auto response = message_in<SetBool::Response>(*pair.there, *reply);
      REQUIRE(response);
      CHECK(response->message == std::string(ros::TypeSupport::of<SetBool::Request>().hash()));
      answers.emplace_back(i % 2, response->success);
    });
  }
  REQUIRE(pair.until([&] { return answers.size() == 20; }));
  for (const auto& [asked, answered] : answers) CHECK(answered == !asked);

  auto nobody = caller.client("nobody", ros::ServiceSupport::of<SetBool>());
  bool given_up = false;
  (*nobody)->call(Bytes{0, 1, 0, 0, 1}, os::now() + std::chrono::milliseconds(50), [&](const Result<Bytes>& reply) {
    given_up = !reply && reply.error().code == ErrorCode::kUnavailable;
  });
  CHECK(pair.until([&] { return given_up; }));
}

TEST_CASE("a domain has a number that there are ports for") {
  NoLog log;
  const auto opened = open_participant({.domain = kMaxDomain + 1}, log);
  REQUIRE(!opened);
  CHECK(opened.error().code == ErrorCode::kInvalid);
}

}  // namespace convoy::ros2
