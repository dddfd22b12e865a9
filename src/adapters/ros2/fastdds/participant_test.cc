// Two domains in one process, over the machine's own network: what only Fast DDS itself can show.
#include "adapters/ros2/fastdds/participant.h"

#include <doctest/doctest.h>
#include <poll.h>

#include <chrono>
#include <set>
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

TEST_CASE("several types of one topic are one node's, in one participant, and each gets its own") {
  Pair pair;
  Node node(*pair.here, "/", "node"), other(*pair.there, "/", "other");
  int texts = 0, flags = 0, answers = 0;
  const auto counts = [](int& n) { return [&n](const Received&) { ++n; }; };
  auto text = node.subscription("topic", ros::TypeSupport::of<String>(), {}, counts(texts));
  auto flag = node.subscription("topic", ros::TypeSupport::of<SetBool::Request>(), {}, counts(flags));
  auto answer = node.subscription("topic", ros::TypeSupport::of<SetBool::Response>(), {}, counts(answers));
  REQUIRE(text);
  REQUIRE(flag);
  REQUIRE(answer);

  std::set<std::string> types;
  std::set<Guid> participants;
  REQUIRE(pair.until([&] {
    for (const auto& [guid, one] : pair.there->graph().endpoints())
      if (one.topic == "rt/topic" && pair.there->graph().node_of(guid) == "/node")
        types.insert(one.type), participants.insert(participant_of(guid));
    return types.size() == 3;
  }));
  CHECK(participants.size() == 1);

  auto sender = other.publisher("topic", ros::TypeSupport::of<SetBool::Request>());
  REQUIRE(pair.until([&] { return (*sender)->wanted(); }));
  publish(**sender, SetBool::Request());
  REQUIRE(pair.until([&] { return flags == 1; }));
  CHECK(texts + answers == 0);
}

TEST_CASE("each end keeps as many samples as its depth says, and the oldest goes") {
  NoLog log;
  const ParticipantOptions options{.domain = domain_number(), .reach = Reach::kLocalhost};
  const auto here = std::move(*open_participant(options, log)), there = std::move(*open_participant(options, log));
  const auto until = [](const auto& truth) {
    for (const Moment end = os::now() + std::chrono::seconds(30); !truth();) {
      if (os::now() > end) return false;
      ::poll(nullptr, 0, 1);
    }
    return true;
  };
  const auto spec = [](Qos qos) { return EndpointSpec{"rt/depth_" + std::to_string(os::process_id()), "T", qos, {}}; };
  const auto all_of = [](WireReader& reader) {
    std::string out;
    for (Received got; reader.take(got);) out += static_cast<char>(got.cdr[4]);
    return out;
  };
  auto writer = *here->make_writer(spec({.transient_local = true, .depth = 3}));
  auto early = *there->make_reader(spec({.depth = 2}));
  REQUIRE(until([&] { return writer->matched() == 1 && early->matched() == 1; }));
  for (const char letter : std::string("abcdefgh"))
    CHECK(writer->write(Bytes{0, 1, 0, 0, static_cast<std::uint8_t>(letter), 0, 0, 0}) > 0);
  CHECK(writer->write(Bytes{0, 1, 0}) == 0);  // no whole header
  REQUIRE(until([&] { return writer->acknowledged(); }));
  CHECK(all_of(*early) == "gh");

  auto late = *there->make_reader(spec({.transient_local = true, .depth = 0}));
  std::string came;
  CHECK(until([&] { return (came += all_of(*late)).size() >= 3; }));
  CHECK(came == "fgh");
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
