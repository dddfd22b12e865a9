// The viewer in a run without sockets but the page's, by a clock of the test's own.
#include "adapters/web/web_viewer.h"

#include <doctest/doctest.h>

#include "roles/recorded_run.h"
#include "wire/frame.h"

namespace web_viewer_test {

using namespace convoy;
using namespace convoy::web;

namespace {

// Hands on, and counts frames that ask for a boundary.
struct Counting final : Network {
  explicit Counting(Network& there) : there_(there) { reader_.set_limit(kMaxFrame); }
  void send(LinkId link, ByteView bytes) override {
    reader_.feed(bytes);
    FrameHeader header;
    for (ByteView payload; reader_.next(header, payload);) looks += header.type == FrameType::kLook ? 1 : 0;
    there_.send(link, bytes);
  }
  void close(LinkId link) override { there_.close(link); }
  void send_datagram(const Endpoint& to, ByteView bytes) override { there_.send_datagram(to, bytes); }
  LinkId connect() override { return there_.connect(); }
  std::size_t backlog(LinkId link) const override { return there_.backlog(link); }

  int looks = 0;

 private:
  Network& there_;
  FrameReader reader_;
};

// Calls a role as loops do: after its own input and when its deadline has come, and not when others are called.
struct Alone final : Role {
  explicit Alone(Role& role) : role_(role) {}
  void on_opened(LinkId link, Moment now) override { called_ = true, role_.on_opened(link, now); }
  void on_bytes(LinkId link, ByteView bytes, Moment now) override { called_ = true, role_.on_bytes(link, bytes, now); }
  void on_closed(LinkId link, Moment now) override { called_ = true, role_.on_closed(link, now); }
  void on_datagram(const Endpoint& from, ByteView bytes, Moment now) override {
    called_ = true, role_.on_datagram(from, bytes, now);
  }
  void on_time(Moment now) override {
    if (std::exchange(called_, false) || role_.deadline() <= now) role_.on_time(now);
  }
  Moment deadline() const override { return role_.deadline(); }
  bool finished() const override { return role_.finished(); }

 private:
  Role& role_;
  bool called_ = true;
};

}  // namespace

TEST_CASE("in lockstep each frame of a page is of a boundary of its own, thirty a second") {
  convoy::testing::Silence log;
  SerialExecutor executor;
  const KinematicFactory factory;
  ServerOptions options;
  options.membership.liveness = Duration{0};
  options.membership.new_token = [] { return convoy::Token{}; };
  options.conductor.end = 500;  // of 10 ms
  options.conductor.speed = 1;
  options.hosts = {"host0"};
  Embedded embedded;
  auto server = ServerRole::make(convoy::testing::room(), options, embedded.server_network(), log);
  REQUIRE(server.has_value());
  embedded.set_server(**server);
  ClientOptions client;
  client.session.name = "host0";
  ClientRole host(client, embedded.add_client(), executor, AgentParts{factory}, log);
  embedded.set_client(0, host);
  auto site = Site::open({}, Keys({}, [] { return std::string("s"); }), {}, std::nullopt);
  REQUIRE(site.has_value());
  Counting network(embedded.add_client());
  WebViewer viewer({}, std::move(*ElementTypes::make()), **site, network, log);
  Alone alone(viewer);
  embedded.set_client(1, alone);
  viewer.joined(1);

  Moment now{std::chrono::hours(1)};
  embedded.run([&] { return now; }, [&](Moment next) { now = std::min(next, now + std::chrono::milliseconds(1)); });
  CHECK(network.looks >= 5 * 30 - 10);
  CHECK(network.looks <= 5 * 31);
}

}  // namespace web_viewer_test
