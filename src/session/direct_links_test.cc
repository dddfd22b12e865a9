#include "session/direct_links.h"

#include <doctest/doctest.h>

#include "convoy/control.pb.h"
#include "session/fake_network.h"
#include "session/membership.h"

namespace direct_links_test {

using namespace convoy;
using namespace convoy::testing;
using namespace std::chrono_literals;

namespace {

const Owner kHost{3}, kOther{4}, kSensors{7};

struct Peers : PeerNetwork {
  explicit Peers(FakeNetwork& n) : network(n) {}
  LinkId connect_to(const Endpoint& peer) override {
    dialed.push_back(peer);
    return network.connect();
  }
  std::optional<Endpoint> take_links(LinkId) override { return Endpoint{0, 1, 4000}; }
  void send_now() override {}
  FakeNetwork& network;
  std::vector<Endpoint> dialed;
};

// One side, with what becomes known to its role.
struct Side final : DirectEvents {
  FakeNetwork network;
  Peers peers{network};
  Drops drops;
  QuietLog log;
  std::uint8_t drawn = 0;
  DirectLinks links{network, &peers, *this, drops, log, [this] { return Token{++drawn}; }};
  std::string events;
  bool takes = true;

  bool direct_frame(Owner peer, FrameType type, ByteView payload, Moment) override {
    events +=
        std::to_string(peer.value()) + " " + name_of(type) + " " + std::string(payload.begin(), payload.end()) + ";";
    return takes;
  }
  void direct_lost(Owner peer) override { events += std::to_string(peer.value()) + " lost;"; }
  std::string take_events() { return std::exchange(events, {}); }
};

Bytes greeting(Owner me, const Token& secret, std::uint32_t protocol = kProtocolVersion) {
  proto::Hello hello;
  hello.set_protocol(protocol);
  hello.mutable_direct()->set_connection(me.value());
  hello.mutable_direct()->set_token(secret.data(), secret.size());
  Bytes out;
  put_frame(out, FrameType::kHello, 0, 0, as_bytes(hello.SerializeAsString()));
  return out;
}

// What the taking side makes of such a greeting on a link of its own.
bool let_in(Side& side, LinkId link, const Bytes& hello) {
  side.links.on_opened(link, {});
  side.links.on_bytes(link, hello, {});
  return side.network.closed.count(link) == 0;
}

}  // namespace

TEST_CASE("a link that was offered is opened with its secret, and carries frames from then on") {
  Side taker, opener;
  const auto secret = taker.links.offer(kHost, {});
  REQUIRE(secret);
  opener.links.open(kHost, kSensors, {0, 1, 4000}, *secret);
  REQUIRE(opener.peers.dialed == std::vector<Endpoint>{{0, 1, 4000}});
  CHECK(!opener.links.up(kSensors));
  opener.links.on_opened(1, {});
  CHECK(opener.links.up(kSensors));

  taker.links.on_opened(50, {});
  taker.links.on_bytes(50, opener.network.out[1], {});
  REQUIRE(taker.links.up(kHost));
  taker.links.send(kHost, FrameType::kSamples, as_bytes("many points"));
  opener.links.on_bytes(1, taker.network.out[50], {});
  CHECK(opener.take_events() == "7 samples many points;");
  CHECK(!taker.links.offer(kHost, Moment{} + 1h));  // there is one
}

TEST_CASE("a secret lets in whom it was made for, once, and nobody who has another") {
  Side taker;
  const Token secret = *taker.links.offer(kHost, {}), others = *taker.links.offer(kOther, {});
  CHECK(!let_in(taker, 50, greeting(kHost, Token{99})));
  CHECK(!let_in(taker, 51, greeting(kHost, others)));
  CHECK(!let_in(taker, 52, greeting(Owner(5), secret)));
  CHECK(!let_in(taker, 53, greeting(kHost, secret, kProtocolVersion - 1)));
  CHECK(!let_in(taker, 54, Bytes(100, 0x41)));
  CHECK(taker.drops.of(Drop::kBadToken) == 4);
  CHECK(!taker.links.up(kHost));
  CHECK(let_in(taker, 55, greeting(kHost, secret)));
  CHECK(!let_in(taker, 56, greeting(kHost, secret)));
  CHECK(taker.links.up(kHost));
  CHECK(taker.take_events().empty());
}

TEST_CASE("who opens a link and says nothing is closed, and so is who sends what may not come there") {
  Side taker;
  taker.links.on_opened(50, Moment{});
  listen(taker.links, Moment{}, Moment{} + 6s);
  CHECK(taker.network.closed.count(50) == 1);

  taker.takes = false;
  REQUIRE(let_in(taker, 51, greeting(kHost, *taker.links.offer(kHost, {}))));
  Bytes frame;
  put_frame(frame, FrameType::kStates, 0, 0, as_bytes("x"));
  taker.links.on_bytes(51, frame, {});
  CHECK(taker.take_events() == "3 states x;3 lost;");
  CHECK(taker.network.closed.count(51) == 1);
  CHECK(!taker.links.has(51));
}

TEST_CASE("a broken link is told once, and offered again after a pause that doubles until one comes of it") {
  Side taker;
  REQUIRE(let_in(taker, 50, greeting(kHost, *taker.links.offer(kHost, {}))));
  taker.links.on_closed(50);
  CHECK(taker.take_events() == "3 lost;");
  Moment now{};
  REQUIRE(taker.links.offer(kHost, now));
  CHECK(!taker.links.offer(kHost, now + 999ms));
  REQUIRE(taker.links.offer(kHost, now += 1s));
  CHECK(!taker.links.offer(kHost, now + 1999ms));
  const auto newest = taker.links.offer(kHost, now += 2s);
  REQUIRE(newest);
  CHECK(let_in(taker, 51, greeting(kHost, *newest)));
  taker.links.on_closed(51);
  CHECK(taker.links.offer(kHost, now));  // from the beginning
}

TEST_CASE("who is introduced once more gives up the link that there was") {
  Side opener;
  opener.links.open(kHost, kSensors, {0, 1, 4000}, Token{1});
  opener.links.on_opened(1, {});
  opener.links.open(kHost, kSensors, {0, 1, 4000}, Token{2});
  CHECK(opener.network.closed.count(1) == 1);
  CHECK(opener.take_events() == "7 lost;");
  opener.links.open(kHost, kSensors, {0, 1, 4000}, Token{3});  // while the second is being dialled
  CHECK(opener.network.closed.count(2) == 1);
  opener.links.on_closed(3);  // nobody listens there
  CHECK(!opener.links.up(kSensors));
  CHECK(opener.take_events().empty());
}

}  // namespace direct_links_test
