#include "session/session.h"

#include <doctest/doctest.h>

#include "convoy/control.pb.h"
#include "core/hash.h"
#include "session/fake_network.h"

namespace session_test {

using namespace convoy;
using namespace convoy::testing;

namespace {

using std::chrono::milliseconds;
using Seconds = std::chrono::seconds;

Moment at(Duration d) { return Moment{} + d; }

struct Peer : SessionEvents {
  explicit Peer(SessionOptions o = {}) {
    o.name = "host0";
    o.server = {0, 0, 1};
    session.emplace(o, network, *this);
    session->start({});
  }
  void welcomed(Moment) override { events_text += "welcomed;"; }
  void held_up(const std::string& why) override { events_text += "held up: " + why + ";"; }
  void setup_loaded(ByteView setup, Moment) override { events_text += "loaded " + std::to_string(setup.size()) + ";"; }
  void frame(FrameType type, ByteView payload, Moment) override {
    events_text += std::string(name_of(type)) + ":" + std::string(as_text(payload)) + ";";
  }
  bool datagram(const Datagram&, Moment) override { return events_text += "datagram;", true; }

  void bytes(LinkId link, FrameType type, ByteView payload, std::uint32_t seq = 0, Moment now = {}) {
    Bytes out;
    put_frame(out, type, seq, 0, payload);
    session->on_bytes(link, out, now);
  }
  void welcome(LinkId link, Moment now = {}, std::uint32_t received = 0) {
    proto::Welcome w;
    w.set_connection(3);
    w.set_token("0123456789abcdef");
    w.set_name("host0");
    w.set_scenario(scenario);
    w.set_liveness_ns(nanos(liveness));
    w.set_received(received);
    bytes(link, FrameType::kWelcome, as_bytes(w.SerializeAsString()), 0, now);
  }
  // Link 1 up, welcomed, the bulk link 2 open.
  void join() {
    session->on_opened(1, {});
    welcome(1);
    if (network.last_link == 2) session->on_opened(2, {});
    network.take(1), network.take(2);
    events_text.clear();
  }
  void piece(LinkId link, std::size_t offset, ByteView part, std::size_t total, Moment now = {}) {
    Bytes out;
    Writer w(out);
    w.u64(scenario), w.u64(offset), w.u64(total);
    w.bytes(part);
    bytes(link, FrameType::kAssetChunk, out, 0, now);
  }
  proto::Hello hello(LinkId link) {
    const auto frames = network.take(link);
    REQUIRE(!frames.empty());
    REQUIRE(frames[0].header.type == FrameType::kHello);
    proto::Hello h;
    CHECK(h.ParseFromArray(frames[0].payload.data(), static_cast<int>(frames[0].payload.size())));
    return h;
  }
  // What it asked for on the bulk link: offset.
  std::uint64_t asked_from(LinkId link) {
    const auto frames = network.take(link);
    REQUIRE(FakeNetwork::names(frames) == "hello asset_request");
    Reader r(frames[1].payload);
    CHECK(r.u64() == scenario);
    return r.u64();
  }
  std::string take_events() { return std::exchange(events_text, {}); }
  std::string ended() { return session->ended() ? session->ended()->text : ""; }

  FakeNetwork network;
  std::string events_text;
  std::uint64_t scenario = 42;
  Duration liveness = Seconds(4);
  std::optional<Session> session;
};

SessionOptions bare() {
  SessionOptions options;
  options.load_setup = false;
  return options;
}

}  // namespace

TEST_CASE("a session sends its Hello, loads the setup on a link of its own, and is up") {
  Peer peer;
  const Bytes setup(1000, 7);
  peer.scenario = hash64(setup);
  peer.session->on_opened(1, {});
  CHECK(peer.hello(1).name() == "host0");
  peer.welcome(1);
  CHECK(peer.network.last_link == 2);
  peer.session->on_opened(2, {});
  CHECK(peer.asked_from(2) == 0);

  peer.piece(2, 0, ByteView(setup).first(600), 1000);
  peer.piece(2, 600, ByteView(setup).subspan(600), 1000);

  CHECK(peer.take_events() == "welcomed;loaded 1000;");
  CHECK(peer.network.closed == std::set<LinkId>{2});
}

TEST_CASE("a bulk link that ends in the middle is followed by another from there on") {
  Peer peer;
  const Bytes setup(1000, 7);
  peer.scenario = hash64(setup);
  peer.join();
  peer.piece(2, 0, ByteView(setup).first(600), 1000);
  listen(*peer.session, {}, at(milliseconds(1900)));
  peer.bytes(1, FrameType::kHeartbeat, {}, 0, at(milliseconds(1900)));  // the control link is well

  SUBCASE("closed by the network") { peer.session->on_closed(2, {}); }
  SUBCASE("a piece at another place") { peer.piece(2, 700, ByteView(setup).subspan(700), 1000); }
  SUBCASE("a piece of another asset") {
    peer.scenario ^= 1;
    peer.piece(2, 600, ByteView(setup).subspan(600), 1000);
    peer.scenario ^= 1;
  }
  SUBCASE("more than the whole") { peer.piece(2, 600, ByteView(setup), 1000); }
  SUBCASE("a damaged frame") {
    Bytes out;
    put_frame(out, FrameType::kAssetChunk, 0, 0, as_bytes("x"));
    out.back() ^= 1;
    peer.session->on_bytes(2, out, {});
    CHECK(peer.session->drops().of(Drop::kBadChecksum) == 1);
  }
  SUBCASE("silence for half of the liveness limit") {
    peer.session->on_time(at(milliseconds(1999)));
    CHECK(peer.network.closed.empty());
    peer.session->on_time(at(Seconds(2)));
    CHECK(peer.network.closed == std::set<LinkId>{2});
  }

  peer.session->on_time(at(milliseconds(2100)));
  REQUIRE(peer.network.last_link == 3);
  peer.session->on_opened(3, {});
  CHECK(peer.asked_from(3) == 600);
  peer.piece(3, 600, ByteView(setup).subspan(600), 1000);
  CHECK(peer.take_events() == "loaded 1000;");
}

TEST_CASE("a refused bulk link is dialled again, but not at once") {
  Peer peer;
  peer.join();

  peer.session->on_closed(2, {});
  peer.session->on_time({});
  CHECK(peer.network.last_link == 2);
  CHECK(peer.session->deadline() == at(milliseconds(100)));
  peer.session->on_time(at(milliseconds(100)));
  CHECK(peer.network.last_link == 3);
}

TEST_CASE("both links lost while loading: after the resume the loading goes on") {
  Peer peer;
  peer.join();
  peer.session->on_closed(1, {});
  peer.session->on_closed(2, {});

  peer.session->on_time(at(milliseconds(100)));
  REQUIRE(peer.network.last_link == 3);  // the control link first
  peer.session->on_opened(3, at(milliseconds(100)));
  CHECK(peer.hello(3).resume().connection() == 3);
  peer.welcome(3, at(milliseconds(100)));
  peer.session->on_time(at(milliseconds(200)));

  CHECK(peer.network.last_link == 4);
}

TEST_CASE("a setup that arrives damaged ends the session with one clear text") {
  Peer peer;
  Bytes setup(1000, 7);
  peer.scenario = hash64(setup);
  peer.join();
  setup[500] ^= 1;

  peer.piece(2, 0, setup, 1000);

  CHECK(peer.ended() == "the scenario arrived damaged: its content does not have the hash that was promised");
  CHECK(peer.network.closed == std::set<LinkId>{1, 2});
}

TEST_CASE("a broken link is replaced with number and token, and what was missed is asked for") {
  Peer peer(bare());
  peer.join();
  peer.bytes(1, FrameType::kOpen, as_bytes("a"), 1);
  peer.session->send(FrameType::kDone, Bytes{1, 2});

  peer.session->on_closed(1, {});
  peer.session->on_time(at(milliseconds(100)));
  peer.session->on_opened(2, at(milliseconds(101)));
  const proto::Hello h = peer.hello(2);
  CHECK(h.resume().connection() == 3);
  CHECK(h.resume().token() == "0123456789abcdef");
  CHECK(h.resume().received() == 1);
  peer.welcome(2, at(milliseconds(102)));

  const auto frames = peer.network.take(2);
  CHECK(FakeNetwork::names(frames) == "done");
  peer.bytes(2, FrameType::kOpen, as_bytes("a"), 1);  // again
  peer.bytes(2, FrameType::kOpen, as_bytes("b"), 2);
  CHECK(peer.take_events() == "open:a;open:b;");
  CHECK(peer.session->drops().of(Drop::kDuplicateFrame) == 1);
  CHECK(peer.session->reconnects() == 1);
}

TEST_CASE("a gap or a damaged frame makes the client dial again") {
  Peer peer(bare());
  peer.join();

  SUBCASE("gap") {
    peer.bytes(1, FrameType::kOpen, {}, 2);
    CHECK(peer.session->drops().of(Drop::kGap) == 1);
  }
  SUBCASE("damaged") {
    Bytes out;
    put_frame(out, FrameType::kOpen, 1, 0, as_bytes("x"));
    out.back() ^= 1;
    peer.session->on_bytes(1, out, {});
    CHECK(peer.session->drops().of(Drop::kBadChecksum) == 1);
  }
  SUBCASE("too large") {
    peer.bytes(1, FrameType::kOpen, Bytes(kMaxFrame + 1), 1);
    CHECK(peer.session->drops().of(Drop::kTooLarge) == 1);
  }

  CHECK(peer.network.closed == std::set<LinkId>{1});
  peer.session->on_time(at(milliseconds(100)));
  CHECK(peer.network.last_link == 2);
}

TEST_CASE("half of the liveness in silence, and another link is tried") {
  Peer peer(bare());
  peer.join();

  listen(*peer.session, {}, at(milliseconds(1999)));
  CHECK(peer.network.last_link == 1);
  peer.session->on_time(at(Seconds(2)));
  peer.session->on_time(at(milliseconds(2100)));
  CHECK(peer.network.last_link == 2);
  CHECK(peer.network.closed == std::set<LinkId>{1});
}

TEST_CASE("a silent server is given up after twelve times the liveness, one that refuses connections after one") {
  Peer peer(bare());
  peer.join();

  SUBCASE("silent: stopped, perhaps") {
    listen(*peer.session, {}, at(milliseconds(47'900)));
    CHECK(peer.ended().empty());
    listen(*peer.session, at(milliseconds(47'900)), at(Seconds(48)));
  }
  const auto refuse = [&](Moment from, Moment to) {  // whatever it dials
    for (Moment now = from; now < to; now += milliseconds(100)) {
      peer.session->on_time(now);
      peer.session->on_closed(peer.network.last_link, now);
    }
  };
  SUBCASE("refused: its program is gone") {
    peer.session->on_closed(1, {});
    refuse({}, at(milliseconds(4100)));
    CHECK(peer.ended().empty());
    refuse(at(milliseconds(4100)), at(milliseconds(4200)));
  }
  SUBCASE("refused once after a long silence: stopped, and something in between answers for it") {
    listen(*peer.session, {}, at(Seconds(20)));
    peer.session->on_closed(peer.network.last_link, at(Seconds(20)));
    listen(*peer.session, at(Seconds(20)), at(milliseconds(23'900)));
    CHECK(peer.ended().empty());
    peer.session->on_opened(peer.network.last_link, at(milliseconds(23'900)));
    listen(*peer.session, at(milliseconds(23'900)), at(milliseconds(47'900)));
    CHECK(peer.ended().empty());
    return;
  }
  SUBCASE("the client itself was stopped for a minute") {
    peer.session->on_time(at(Seconds(60)));
    CHECK(peer.ended().empty());
    return;
  }
  CHECK(peer.ended() == "lost the server: silent for longer than the liveness limit");
}

TEST_CASE("with the liveness off a silent server is waited for") {
  Peer peer(bare());
  peer.liveness = Duration{0};
  peer.join();

  peer.session->on_time(at(std::chrono::hours(10)));

  CHECK(peer.ended().empty());
  CHECK(peer.network.last_link == 1);
}

TEST_CASE("without any Welcome a session dials again, and ends when its time is over") {
  Peer peer(bare());

  peer.session->on_closed(1, {});  // refused
  peer.session->on_time(at(milliseconds(100)));
  CHECK(peer.network.last_link == 2);
  peer.session->on_opened(2, at(milliseconds(100)));  // opened, but the Hello or its answer vanishes
  peer.session->on_time(at(milliseconds(2100)));
  peer.session->on_time(at(milliseconds(2200)));
  CHECK(peer.network.last_link == 3);
  peer.session->on_time(at(Seconds(10)));

  CHECK(peer.ended() == "no answer from the server within 10 s");
}

TEST_CASE("a name that is held is asked for again, and the last answer is what the session ends with") {
  const auto held = [](Duration longer) {
    proto::Decline decline;
    decline.set_code(static_cast<std::uint32_t>(DeclineCode::kNameHeld));
    decline.set_text("the name is held");
    decline.set_longer_ns(nanos(longer));
    return decline.SerializeAsString();
  };
  Peer peer;
  Moment now{};
  LinkId link = 1;
  const auto declined = [&](Duration longer) {
    peer.session->on_opened(link, now);
    peer.bytes(link, FrameType::kDecline, as_bytes(held(longer)), 0, now);
  };
  declined(Seconds(5));
  CHECK(peer.take_events() == "held up: the name is held;");
  CHECK(peer.ended() == "");

  now = peer.session->deadline();
  CHECK(now == at(milliseconds(100)));  // at once again; then twice a second
  peer.session->on_time(now);
  CHECK(peer.network.last_link == ++link);
  declined(Seconds(5));
  CHECK(peer.session->deadline() == now + milliseconds(500));
  CHECK(peer.take_events().empty());

  SUBCASE("until it is free") {
    now = peer.session->deadline();
    peer.session->on_time(now);
    peer.session->on_opened(++link, now);
    peer.welcome(link, now);
    CHECK(peer.take_events() == "welcomed;");
    CHECK(peer.ended() == "");
  }
  SUBCASE("for as long as the server has named, beyond the usual") {
    while (peer.ended().empty() && now < at(Seconds(60))) {
      now = peer.session->deadline();
      peer.session->on_time(now);
      if (peer.network.last_link == link + 1) ++link, declined(Seconds(5));
    }
    CHECK(peer.ended() == "the server declined: the name is held");
    CHECK(now == at(Seconds(15)));
  }
}

TEST_CASE("the ways in which a server ends a session each have their text") {
  Peer peer(bare());

  SUBCASE("declined") {
    proto::Decline d;
    d.set_text("wrong credentials");
    peer.session->on_opened(1, {});
    peer.bytes(1, FrameType::kDecline, as_bytes(d.SerializeAsString()));
    CHECK(peer.ended() == "the server declined: wrong credentials");
    CHECK(peer.session->ended()->code == ErrorCode::kDenied);
  }
  SUBCASE("goodbye") {
    peer.join();
    peer.bytes(1, FrameType::kGoodbye, {});
    CHECK(peer.ended() == "the server said goodbye");
    CHECK(peer.session->ended_in_order());
  }
  SUBCASE("dropped") {
    peer.join();
    peer.bytes(1, FrameType::kGoodbye, as_bytes("broke the protocol"));
    CHECK(peer.ended() == "the server dropped us: broke the protocol");
    CHECK(!peer.session->ended_in_order());
  }
  SUBCASE("another protocol") {
    peer.session->on_opened(1, {});
    peer.session->on_bytes(1, as_bytes("HTTP/1.1 400 Bad Request\r\n\r\n"), {});
    CHECK(peer.ended() == "the other side does not speak Convoy's protocol");
  }
  SUBCASE("a Welcome without number or token") {
    peer.session->on_opened(1, {});
    peer.bytes(1, FrameType::kWelcome, {});
    CHECK(peer.ended() == "the server's Welcome has no number or token");
  }
  SUBCASE("a Welcome that cannot be parsed") {
    peer.session->on_opened(1, {});
    peer.bytes(1, FrameType::kWelcome, as_bytes("\xff\xff\xff"));
    CHECK(peer.ended() == "the server's Welcome cannot be parsed");
  }
}

TEST_CASE("a client leaves with a goodbye") {
  Peer peer(bare());
  peer.join();

  peer.session->leave();

  CHECK(FakeNetwork::names(peer.network.take(1)) == "goodbye");
  CHECK(peer.network.closed == std::set<LinkId>{1});
  CHECK(peer.session->ended_in_order());
}

TEST_CASE("a datagram endpoint is registered again and again until the server has confirmed it") {
  SessionOptions options = bare();
  options.datagrams = true;
  Peer peer(options);
  peer.join();
  CHECK(peer.network.datagrams.size() == 1);
  peer.session->on_time(at(milliseconds(200)));
  CHECK(peer.network.datagrams.size() == 2);

  Datagram d;
  REQUIRE(parse_datagram(peer.network.datagrams[1], d) == DatagramTrouble::kNone);
  CHECK(d.type == DatagramType::kRegister);
  CHECK(as_text(d.payload) == "0123456789abcdef");
  peer.bytes(1, FrameType::kUdpConfirmed, {});
  peer.session->on_time(at(milliseconds(400)));
  CHECK(peer.network.datagrams.size() == 2);
  peer.bytes(1, FrameType::kNonce, as_bytes("12345678"));
  REQUIRE(peer.network.datagrams.size() == 3);
  REQUIRE(parse_datagram(peer.network.datagrams[2], d) == DatagramTrouble::kNone);
  CHECK(d.type == DatagramType::kAnswer);
  CHECK(as_text(d.payload) == "12345678");
}

TEST_CASE("a client's datagrams from elsewhere, damaged or of unknown type are dropped by name") {
  Peer peer(bare());
  peer.join();
  Bytes out;
  put_datagram(out, {DatagramType::kStates, 0, 0, Owner(3), 1, 0, 0, {}});

  peer.session->on_datagram({0, 0, 1}, out, {});
  CHECK(peer.take_events() == "datagram;");
  peer.session->on_datagram({0, 0, 2}, out, {});
  CHECK(peer.session->drops().of(Drop::kWrongEndpoint) == 1);
  out[5] ^= 1;
  peer.session->on_datagram({0, 0, 1}, out, {});
  CHECK(peer.session->drops().of(Drop::kBadChecksum) == 1);
  put_datagram(out, {static_cast<DatagramType>(99), 0, 0, Owner(3), 1, 0, 0, {}});
  peer.session->on_datagram({0, 0, 1}, out, {});
  CHECK(peer.session->drops().of(Drop::kUnknownType) == 1);
  CHECK(peer.take_events().empty());
}

TEST_CASE("frames before the Welcome, and a second Welcome, are unexpected") {
  Peer peer(bare());
  peer.session->on_opened(1, {});
  peer.bytes(1, FrameType::kOpen, {}, 1);
  peer.welcome(1);
  peer.welcome(1);

  CHECK(peer.session->drops().of(Drop::kUnexpected) == 2);
  CHECK(peer.take_events() == "welcomed;");
}

}  // namespace session_test
