#include "roles/caller.h"

#include <doctest/doctest.h>

#include "physics/factory.h"
#include "roles/client.h"
#include "roles/server.h"
#include "scenario/scenario.h"
#include "testing/sim_net.h"

namespace caller_test {

using namespace convoy;
using namespace std::chrono_literals;

namespace {

struct Quiet final : Log {
  void line(LogLevel, const std::string&) override {}
};

// A server that waits at boundary 0 without hosts, and one caller.
struct Desk {
  explicit Desk(proto::Request request, std::uint64_t seed = 1, CallerOptions options = {},
                std::vector<std::string> hosts = {})
      : net(seed) {
    const auto scenario = scenario::parse("convoy: 1\nworld: {ground: {size: [9, 9]}}\n", "test", ".");
    REQUIRE_MESSAGE(scenario, (scenario ? "" : scenario.error().message()));
    ServerOptions server_options;
    server_options.conductor.paused = true;
    server_options.hosts = std::move(hosts);
    std::uint8_t next = 0;
    server_options.membership.new_token = [next]() mutable { return Token{++next}; };
    auto made = ServerRole::make(scenario->setup, server_options, net.server_network(), log);
    REQUIRE(made);
    server = std::move(*made);
    options.request = std::move(request);
    caller = std::make_unique<Caller>(options, net.add_client({}));
    net.set_server(*server);
    net.set_client(0, *caller, Moment{} + 1ms);
  }
  void run() {
    net.run(Moment{} + 60s, [&] { return caller->finished(); });
  }

  testing::SimNet net;
  Quiet log;
  std::unique_ptr<ServerRole> server;
  std::unique_ptr<Caller> caller;
};

// A call that would be refused if it were carried out twice: the name is taken then.
proto::Request add_crate() {
  Model crate = built_in_models().back();
  crate.name = "crate";
  const Bytes bytes = save(crate);
  proto::Request request;
  request.set_add_model(bytes.data(), bytes.size());
  return request;
}

}  // namespace

TEST_CASE("a call is carried out and answered, and the caller leaves") {
  Desk desk(add_crate());

  desk.run();

  REQUIRE(desk.caller->reply());
  CHECK(desk.caller->reply()->error() == 0);
  CHECK(desk.server->conductor().world().models().back()->name == "crate");
  desk.net.run(desk.net.now() + 1s, [&] { return desk.server->membership().members().empty(); });
  CHECK(desk.server->membership().members().empty());
}

TEST_CASE("who keeps trying asks a run that has not begun until it has") {
  CallerOptions patient;
  patient.keep_dialing = true;
  patient.session.dial_timeout = 5s;
  for (const bool comes : {false, true}) {
    Desk desk(add_crate(), 1, patient, {"host0"});
    ClientOptions options;
    options.session.name = "host0";
    SerialExecutor executor;
    const KinematicFactory physics;
    ClientRole host(options, desk.net.add_client({}), executor, AgentParts{physics, nullptr}, desk.log);
    if (comes) desk.net.set_client(1, host, Moment{} + 2s);

    desk.run();

    REQUIRE(desk.caller->reply());
    CHECK(desk.caller->reply()->text() == (comes ? "" : kNotBegun));
  }
  Desk hasty(add_crate(), 1, {}, {"host0"});
  hasty.run();
  CHECK(hasty.caller->reply()->text() == kNotBegun);
}

TEST_CASE("calls in a row go over one connection, and the first refusal is the answer to all") {
  proto::Request ask, unknown;
  ask.mutable_list()->set_prefix("");
  unknown.mutable_get()->set_name("nobody");
  for (const bool refused : {false, true}) {
    CallerOptions options;
    options.timeout = 2s;
    options.before = {ask, refused ? unknown : ask, add_crate()};
    Desk desk(add_crate(), 1, options);
    std::size_t connections = 0;
    desk.net.run(Moment{} + 60s, [&] {
      for (const auto& [number, member] : desk.server->membership().members())
        connections = std::max<std::size_t>(connections, number.value());
      return desk.caller->finished();
    });

    REQUIRE(desk.caller->reply());
    CHECK(desk.caller->reply()->text() ==
          (refused ? "unknown entity 'nobody'" : "a model named 'crate' exists already"));
    CHECK((desk.server->conductor().world().models().back()->name == "crate") == !refused);
    CHECK(connections == 1);
  }
}

TEST_CASE("a refusal is an answer") {
  proto::Request request;
  request.mutable_get()->set_name("nobody");
  Desk desk(request);

  desk.run();

  REQUIRE(desk.caller->reply());
  CHECK(desk.caller->reply()->error() == static_cast<std::uint32_t>(ErrorCode::kNotFound));
  CHECK_FALSE(desk.caller->failure());
}

TEST_CASE("whenever the link is cut, the call is carried out once and answered") {
  std::uint64_t cuts = 0;
  for (int i = 0; i < 60; ++i) {
    CallerOptions options;
    options.keep_dialing = true;
    Desk desk(add_crate(), static_cast<std::uint64_t>(i) + 1, options);
    desk.net.at(Moment{} + 1ms + i * 250us, [&] { desk.net.cut(0); });

    desk.run();

    CAPTURE(i);
    REQUIRE(desk.caller->reply());
    CHECK(desk.caller->reply()->error() == 0);
    cuts += desk.net.troubles()[static_cast<std::size_t>(testing::Trouble::kCut)];
  }
  CHECK(cuts > 10);
}

TEST_CASE("a missing server ends the call at once, unless it was asked to wait") {
  Desk refused(add_crate());
  refused.net.refuse(0, 10s);
  refused.run();
  REQUIRE(refused.caller->failure());
  CHECK(refused.caller->failure()->code == ErrorCode::kUnavailable);
  CHECK(refused.net.now() < Moment{} + 1s);

  CallerOptions patient;
  patient.keep_dialing = true;
  patient.session.dial_timeout = 20s;
  Desk waited(add_crate(), 1, patient);
  waited.net.refuse(0, 10s);
  waited.run();
  CHECK(waited.caller->reply());
}

TEST_CASE("an answer that does not come ends the call at its time") {
  int gave_up = 0;
  for (int i = 0; i < 20; ++i) {
    CallerOptions options;
    options.timeout = 2s;
    Desk desk(add_crate(), 1, options);
    desk.net.at(Moment{} + 3ms + i * 250us, [&] { desk.net.half_open(0, testing::HalfOpen::kBothBelieve); });

    desk.run();

    CAPTURE(i);
    REQUIRE(desk.caller->finished());
    if (!desk.caller->welcome() || !desk.caller->failure()) continue;
    ++gave_up;
    CHECK(desk.caller->failure()->text == "no answer within 2 s; the call may still be carried out");
    CHECK(desk.net.now() < Moment{} + 2100ms);
  }
  CHECK(gave_up > 0);
}

}  // namespace caller_test
