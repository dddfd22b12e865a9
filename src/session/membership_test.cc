#include "session/membership.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "convoy/control.pb.h"
#include "core/hash.h"
#include "core/random.h"
#include "session/fake_network.h"

using namespace convoy;
using namespace convoy::testing;

namespace {

using std::chrono::milliseconds;
using Seconds = std::chrono::seconds;

Moment at(Duration d) { return Moment{} + d; }

struct Door : MembershipEvents {
  explicit Door(MembershipOptions o = {}) : options(std::move(o)) {
    options.build = "b1";
    options.fingerprint = 7;
    options.scenario = 99;
    options.new_token = [this] {
      Token token{};
      token[0] = static_cast<std::uint8_t>(++tokens);
      token[15] = 0x5a;
      return token;
    };
    membership.emplace(options, network, *this, log);
  }

  void joined(Member& m, Moment) override { said += "joined " + m.name + ";"; }
  void frame(Member& m, FrameType type, ByteView payload, Moment) override {
    said += std::string(name_of(type)) + " of " + m.name + (payload.empty() ? "" : ":" + std::string(as_text(payload))) + ";";
  }
  void datagram(Member& m, const Datagram&, Moment) override { said += "datagram of " + m.name + ";"; }
  void lost(Member& m, Moment) override { said += "lost " + m.name + ";"; }
  void resumed(Member& m, Moment) override { said += "resumed " + m.name + ";"; }
  void left(Member& m, LeaveReason reason, Moment) override { said += "left " + m.name + ": " + convoy::name_of(reason) + ";"; }

  std::string take_said() { return std::exchange(said, {}); }
  std::uint64_t drops(Drop reason) { return membership->drops().of(reason); }

  static proto::Hello hello(const std::string& name, PeerRole role = PeerRole::kRobotClient) {
    proto::Hello h;
    h.set_protocol(kProtocolVersion);
    h.set_build("b1");
    h.set_fingerprint(7);
    h.set_role(static_cast<proto::Role>(role));
    h.set_name(name);
    return h;
  }
  void bytes(LinkId link, FrameType type, ByteView payload, std::uint32_t seq = 0, std::uint32_t ack = 0, Moment now = {}) {
    Bytes out;
    put_frame(out, type, seq, ack, payload);
    membership->on_bytes(link, out, now);
    membership->flush();
  }
  // Says Hello on a new link; the link.
  LinkId knock(const proto::Hello& h, Moment now = {}) {
    const LinkId link = network.connect();
    membership->on_opened(link, now);
    bytes(link, FrameType::kHello, as_bytes(h.SerializeAsString()), 0, 0, now);
    return link;
  }
  // "code: text" of the Decline on the link; "" if there was none.
  std::string declined(LinkId link) {
    for (const auto& frame : network.take(link)) {
      if (frame.header.type != FrameType::kDecline) continue;
      proto::Decline d;
      CHECK(d.ParseFromArray(frame.payload.data(), static_cast<int>(frame.payload.size())));
      return std::to_string(d.code()) + ": " + d.text();
    }
    return {};
  }
  proto::Welcome welcome(LinkId link) {
    proto::Welcome w;
    const auto frames = network.take(link);
    REQUIRE_MESSAGE(!frames.empty(), "no answer");
    REQUIRE(frames[0].header.type == FrameType::kWelcome);
    CHECK(w.ParseFromArray(frames[0].payload.data(), static_cast<int>(frames[0].payload.size())));
    return w;
  }
  void datagram_from(const Endpoint& from, DatagramType type, Owner number, ByteView payload, Moment now = {}) {
    Bytes out;
    CHECK(put_datagram(out, {type, 0, 0, number, 1, 0, 0, payload}));
    membership->on_datagram(from, out, now);
    membership->flush();
  }
  Token token_of(Owner number) { return membership->find(number)->token; }
  std::string state(Owner number) {
    const Member* m = membership->find(number);
    return m ? convoy::name_of(m->state) : "gone";
  }

  MembershipOptions options;
  FakeNetwork network;
  QuietLog log;
  int tokens = 0;
  std::string said;
  std::optional<Membership> membership;
};

const Endpoint kHome{0, 1, 1000}, kOther{0, 1, 2000};

// A host that wants datagrams and is ready: number 1 in await_udp.
LinkId waiting_for_udp(Door& door) {
  proto::Hello h = Door::hello("host0");
  h.set_datagrams(true);
  const LinkId link = door.knock(h);
  door.bytes(link, FrameType::kReady, {}, 1);
  door.network.take(link);
  door.take_said();
  return link;
}

}  // namespace

TEST_CASE("a good Hello gets a number, a token and the scenario") {
  Door door;

  const LinkId link = door.knock(Door::hello("host0"));

  const proto::Welcome w = door.welcome(link);
  CHECK(w.connection() == 1);
  CHECK(w.token().size() == 16);
  CHECK(w.scenario() == 99);
  CHECK(w.name() == "host0");
  CHECK(door.take_said() == "joined host0;");
  CHECK(door.state(1) == "numbered");
}

TEST_CASE("a bad Hello is declined with a code, a text that says why, and a closed link") {
  const auto refused = [](const proto::Hello& h, MembershipOptions options = {}) {
    Door door(options);
    const LinkId link = door.knock(h);
    const std::string text = door.declined(link);
    CHECK(door.network.closed.count(link) == 1);
    CHECK(door.membership->members().empty());
    CHECK(door.drops(Drop::kDeclined) == 1);
    return text;
  };
  proto::Hello h = Door::hello("host0");

  h.set_protocol(2);
  CHECK(refused(h) == "2: protocol version 2, this server speaks 1");
  h = Door::hello("host0"), h.set_build("b2");
  CHECK(refused(h) == "3: build b2, but lockstep needs the server's own, b1");
  h = Door::hello("host0"), h.set_fingerprint(8);
  CHECK(refused(h) == "4: numeric fingerprint 0000000000000008 differs from the server's 0000000000000007: this machine "
                      "computes other bits, so lockstep would diverge (see docs/determinism.md)");
  CHECK(refused(Door::hello("host0"), {.max_members = 0}) == "5: the server is full (0 connections)");
  CHECK(refused(Door::hello("no good")) == "6: the name is not valid");
  CHECK(refused(Door::hello("host0"), {.credentials = "secret"}) == "7: wrong credentials");
  h = Door::hello("host0"), h.set_credentials("secre");
  CHECK(refused(h, {.credentials = "secret"}) == "7: wrong credentials");
  h = Door::hello("host0"), h.set_role(static_cast<proto::Role>(9));
  CHECK(refused(h) == "8: unknown role");
  h = Door::hello("host0"), h.set_role(proto::NOBODY);
  CHECK(refused(h) == "8: unknown role");
  h = Door::hello("host0"), h.mutable_resume()->set_connection(5);
  CHECK(refused(h) == "9: unknown connection number or wrong token");
}

TEST_CASE("builds and fingerprints matter for hosts only") {
  Door door;
  proto::Hello h = Door::hello("ctl", PeerRole::kControl);
  h.set_build("other"), h.set_fingerprint(1);

  CHECK(door.welcome(door.knock(h)).name() == "ctl");
}

TEST_CASE("a taken name is declined, an empty one is given") {
  Door door;
  const LinkId first = door.knock(Door::hello("host0"));
  door.bytes(first, FrameType::kHeartbeat, {});

  CHECK(door.declined(door.knock(Door::hello("host0"))) == "6: the name 'host0' is taken");
  CHECK(door.welcome(door.knock(Door::hello(""))).name() == "host1");
  CHECK(door.welcome(door.knock(Door::hello("", PeerRole::kControl))).name() == "ctl0");
  CHECK(door.welcome(door.knock(Door::hello("", PeerRole::kViewer))).name() == "peer0");
}

TEST_CASE("a client whose Welcome was lost may say Hello once more") {
  Door door;
  const LinkId first = door.knock(Door::hello("host0"));

  const LinkId second = door.knock(Door::hello("host0"));  // the server does not know yet that the first is dead

  CHECK(door.welcome(second).connection() == 2);
  CHECK(door.network.closed.count(first) == 1);
  CHECK(door.take_said() == "joined host0;left host0: came again before it had said anything;joined host0;");
}

TEST_CASE("after the doors are closed only control comes in") {
  Door door;
  door.membership->close_doors("the run is over");

  CHECK(door.declined(door.knock(Door::hello("host0"))) == "10: the run is over");
  CHECK(door.welcome(door.knock(Door::hello("ctl", PeerRole::kControl))).name() == "ctl");
}

TEST_CASE("what is no Hello is declined and counted by its reason") {
  const auto first_bytes = [](ByteView bytes) {
    Door door;
    const LinkId link = door.network.connect();
    door.membership->on_opened(link, {});
    door.membership->on_bytes(link, bytes, {});
    CHECK(door.network.closed.count(link) == 1);
    std::string counted;
    for (const auto& [reason, n] : door.membership->drops().named()) counted += reason + " ";
    return counted + "| " + door.declined(link);
  };
  Bytes large, damaged, odd, unparsed, early;
  put_frame(large, FrameType::kHello, 0, 0, Bytes(kMaxGreeting + 1));
  put_frame(damaged, FrameType::kHello, 0, 0, as_bytes("x")), damaged.back() ^= 1;
  put_frame(odd, FrameType::kHello, 0, 0, as_bytes("x")), odd[6] = 1;
  put_frame(unparsed, FrameType::kHello, 0, 0, as_bytes("\xff\xff\xff"));
  put_frame(early, FrameType::kReady, 1, 0, {});

  CHECK(first_bytes(large) == "declined too_large | 1: this is no Hello of this protocol");
  CHECK(first_bytes(damaged) == "bad_checksum declined | 1: this is no Hello of this protocol");
  CHECK(first_bytes(odd) == "declined malformed | 1: this is no Hello of this protocol");
  CHECK(first_bytes(unparsed) == "declined malformed | 1: the Hello cannot be parsed");
  CHECK(first_bytes(early) == "declined unexpected | 1: the first message must be a Hello");
}

TEST_CASE("who says nothing is closed when the handshake time is over") {
  Door door;
  const LinkId link = door.network.connect();
  door.membership->on_opened(link, {});
  CHECK(door.membership->deadline() == at(Seconds(5)));

  door.membership->on_time(at(milliseconds(4999)));
  CHECK(door.network.closed.empty());
  door.membership->on_time(at(Seconds(5)));

  CHECK(door.network.closed.count(link) == 1);
  CHECK(door.drops(Drop::kHandshakeTimeout) == 1);
  CHECK(door.declined(link) == "1: no Hello within the handshake time");
}

TEST_CASE("half-open links are bounded") {
  Door door({.max_half_open = 2});
  for (LinkId link : {1, 2, 3}) door.membership->on_opened(link, {});

  CHECK(door.network.closed == std::set<LinkId>{3});
  CHECK(door.drops(Drop::kFull) == 1);
}

TEST_CASE("a host without datagrams is registered as soon as it is ready") {
  Door door;
  const LinkId link = door.knock(Door::hello("host0"));

  door.bytes(link, FrameType::kReady, {}, 1);

  CHECK(door.state(1) == "registered");
}

TEST_CASE("a host with datagrams waits for the first one, and is told when it has come") {
  Door door;
  const LinkId link = waiting_for_udp(door);
  CHECK(door.state(1) == "await_udp");

  door.datagram_from(kHome, DatagramType::kRegister, 1, door.token_of(1));

  CHECK(door.state(1) == "registered");
  CHECK(FakeNetwork::names(door.network.take(link)) == "udp_confirmed");
  door.datagram_from(kHome, DatagramType::kStates, 1, {});
  CHECK(door.take_said() == "datagram of host0;");
}

TEST_CASE("a register datagram may come before the exchange is over") {
  Door door;
  proto::Hello h = Door::hello("host0");
  h.set_datagrams(true);
  const LinkId link = door.knock(h);

  door.datagram_from(kHome, DatagramType::kRegister, 1, door.token_of(1));
  CHECK(door.state(1) == "numbered");
  door.bytes(link, FrameType::kReady, {}, 1);

  CHECK(door.state(1) == "registered");
}

TEST_CASE("without a datagram in time the number is dropped") {
  Door door({.liveness = Duration{0}});
  const LinkId link = waiting_for_udp(door);

  door.membership->on_time(at(milliseconds(9999)));
  CHECK(door.state(1) == "await_udp");
  door.membership->on_time(at(Seconds(10)));

  CHECK(door.state(1) == "gone");
  CHECK(door.drops(Drop::kUdpTimeout) == 1);
  CHECK(door.take_said() == "left host0: sent no datagram in time;");
  CHECK(door.network.closed.count(link) == 1);
}

TEST_CASE("datagrams with a wrong token, number, type or address are dropped by name") {
  Door door;
  waiting_for_udp(door);
  Token wrong = door.token_of(1);
  wrong[7] ^= 1;

  door.datagram_from(kHome, DatagramType::kStates, 1, {});
  CHECK(door.drops(Drop::kWrongEndpoint) == 1);  // not registered yet
  door.datagram_from(kHome, DatagramType::kRegister, 1, wrong);
  door.datagram_from(kHome, DatagramType::kRegister, 1, ByteView(wrong).first(15));
  door.datagram_from(kHome, DatagramType::kGoodbye, 1, wrong);
  CHECK(door.drops(Drop::kBadToken) == 3);
  door.datagram_from(kHome, DatagramType::kRegister, 77, door.token_of(1));
  CHECK(door.drops(Drop::kUnknownConnection) == 1);
  door.datagram_from(kHome, static_cast<DatagramType>(200), 1, {});
  CHECK(door.drops(Drop::kUnknownType) == 1);
  door.membership->on_datagram(kHome, Bytes(kMaxDatagram + 1), {});
  CHECK(door.drops(Drop::kTooLarge) == 1);
  door.membership->on_datagram(kHome, Bytes(10), {});
  CHECK(door.drops(Drop::kMalformed) == 1);
  door.membership->on_datagram(kHome, Bytes(100), {});
  CHECK(door.drops(Drop::kBadChecksum) == 1);

  CHECK(door.state(1) == "await_udp");
  CHECK(door.take_said().empty());
}

TEST_CASE("a changed address must answer a nonce that was given over TCP") {
  Door door;
  const LinkId link = waiting_for_udp(door);
  door.datagram_from(kHome, DatagramType::kRegister, 1, door.token_of(1));
  door.network.take(link);

  door.datagram_from(kOther, DatagramType::kRegister, 1, door.token_of(1));
  const auto asked = door.network.take(link);
  REQUIRE(FakeNetwork::names(asked) == "nonce");
  door.datagram_from(kOther, DatagramType::kStates, 1, {});
  CHECK(door.drops(Drop::kWrongEndpoint) == 2);
  CHECK(door.take_said().empty());

  SUBCASE("the right answer from there moves it") {
    door.datagram_from(kOther, DatagramType::kAnswer, 1, asked[0].payload);
    CHECK(FakeNetwork::names(door.network.take(link)) == "udp_confirmed");
    door.datagram_from(kOther, DatagramType::kStates, 1, {});
    CHECK(door.take_said() == "datagram of host0;");
    door.datagram_from(kHome, DatagramType::kStates, 1, {});
    CHECK(door.drops(Drop::kWrongEndpoint) == 3);
    door.datagram_from(kOther, DatagramType::kAnswer, 1, asked[0].payload);  // once only
    CHECK(door.drops(Drop::kBadNonce) == 1);
  }
  SUBCASE("a wrong answer, one cut short, or one from elsewhere does not") {
    Bytes wrong = asked[0].payload;
    wrong[3] ^= 1;
    door.datagram_from(kOther, DatagramType::kAnswer, 1, wrong);
    door.datagram_from(kOther, DatagramType::kAnswer, 1, ByteView(asked[0].payload).first(7));
    door.datagram_from(kHome, DatagramType::kAnswer, 1, asked[0].payload);
    CHECK(door.drops(Drop::kBadNonce) == 3);
    door.datagram_from(kHome, DatagramType::kStates, 1, {});
    CHECK(door.take_said() == "datagram of host0;");
  }
}

TEST_CASE("goodbye by frame and by datagram end a membership") {
  Door door;
  const LinkId link = waiting_for_udp(door);

  SUBCASE("by frame") { door.bytes(link, FrameType::kGoodbye, {}); }
  SUBCASE("by datagram with the token") { door.datagram_from(kHome, DatagramType::kGoodbye, 1, door.token_of(1)); }

  CHECK(door.take_said() == "left host0: goodbye;");
  CHECK(door.network.closed.count(link) == 1);
  CHECK(door.network.take(link).empty());  // no goodbye to who said it
}

TEST_CASE("a lost link keeps the member, and a resume gets what it has missed, once") {
  Door door;
  const LinkId first = door.knock(Door::hello("host0"));
  door.bytes(first, FrameType::kReady, {}, 1);
  for (const char* text : {"one", "two", "three"}) door.membership->send(1, FrameType::kOpen, as_bytes(text));
  door.membership->flush();
  door.take_said();

  door.membership->on_closed(first, {});
  CHECK(door.take_said() == "lost host0;");
  door.membership->send(1, FrameType::kOpen, as_bytes("four"));
  proto::Hello h = Door::hello("host0");
  const Token token = door.token_of(1);
  h.mutable_resume()->set_connection(1);
  h.mutable_resume()->set_token(token.data(), token.size());
  h.mutable_resume()->set_received(2);
  const LinkId second = door.knock(h);

  const auto frames = door.network.take(second);
  CHECK(FakeNetwork::names(frames) == "welcome open open");
  CHECK(as_text(frames[1].payload) == "three");
  CHECK(frames[2].header.seq == 4);
  CHECK(door.take_said() == "resumed host0;");
  door.bytes(second, FrameType::kReady, {}, 1);  // it sends again what it has sent: dropped
  CHECK(door.drops(Drop::kDuplicateFrame) == 1);
  CHECK(door.take_said().empty());
}

TEST_CASE("a resume before the old link's end is known takes its place") {
  Door door;
  const LinkId first = door.knock(Door::hello("host0"));
  proto::Hello h = Door::hello("host0");
  const Token token = door.token_of(1);
  h.mutable_resume()->set_connection(1);
  h.mutable_resume()->set_token(token.data(), token.size());

  const LinkId second = door.knock(h);
  door.take_said();
  door.bytes(first, FrameType::kOpen, as_bytes("old"), 1);   // the old link says nothing any more
  door.bytes(second, FrameType::kOpen, as_bytes("new"), 1);

  CHECK(door.network.closed == std::set<LinkId>{first});
  CHECK(door.take_said() == "open of host0:new;");
}

TEST_CASE("a skipped frame, a damaged one and one too large end the link, not the member") {
  Door door;
  const LinkId link = door.knock(Door::hello("host0"));
  door.take_said();
  Bytes damaged;
  put_frame(damaged, FrameType::kStates, 1, 0, as_bytes("x"));
  damaged.back() ^= 1;

  SUBCASE("gap") {
    door.bytes(link, FrameType::kStates, {}, 2);
    CHECK(door.drops(Drop::kGap) == 1);
  }
  SUBCASE("damaged") {
    door.membership->on_bytes(link, damaged, {});
    CHECK(door.drops(Drop::kBadChecksum) == 1);
  }
  SUBCASE("too large") {
    door.bytes(link, FrameType::kStates, Bytes(kMaxFrame + 1), 1);
    CHECK(door.drops(Drop::kTooLarge) == 1);
  }

  CHECK(door.take_said() == "lost host0;");
  CHECK(door.network.closed.count(link) == 1);
  CHECK(door.state(1) == "numbered");
}

TEST_CASE("unknown frames of a member are counted and ignored") {
  Door door;
  const LinkId link = door.knock(Door::hello("host0"));
  door.take_said();

  door.bytes(link, static_cast<FrameType>(200), {});

  CHECK(door.drops(Drop::kUnknownType) == 1);
  CHECK(door.take_said().empty());
}

TEST_CASE("silence for longer than the liveness ends a member; any byte is a sign of life") {
  Door door({.liveness = Seconds(2)});
  const LinkId link = door.knock(Door::hello("host0"));
  door.bytes(link, FrameType::kHeartbeat, {}, 0, 0, at(Seconds(1)));
  door.take_said();

  door.membership->on_time(at(milliseconds(2999)));
  CHECK(door.state(1) == "numbered");
  door.membership->on_time(at(Seconds(3)));

  CHECK(door.take_said() == "left host0: silent for longer than the liveness limit;");
  const auto frames = door.network.take(link);
  CHECK(frames.back().header.type == FrameType::kGoodbye);
  CHECK(as_text(frames.back().payload) == "silent for longer than the liveness limit");
}

TEST_CASE("with the liveness off silent hosts stay for ever, and control leaves with its link") {
  Door door({.liveness = Duration{0}});
  const LinkId host = door.knock(Door::hello("host0"));
  const LinkId ctl = door.knock(Door::hello("ctl", PeerRole::kControl));
  door.take_said();

  door.membership->on_time(at(std::chrono::hours(100)));
  CHECK(door.membership->members().size() == 2);
  door.membership->on_closed(host, {});
  door.membership->on_closed(ctl, {});

  CHECK(door.take_said() == "lost host0;left ctl: goodbye;");
}

TEST_CASE("a peer that takes nothing is dropped when its queue is full") {
  Door door({.liveness = Duration{0}});
  const LinkId link = door.knock(Door::hello("host0"));
  door.take_said();
  door.membership->on_closed(link, {});
  const Bytes large(kMaxFrame);

  for (std::size_t sent = 0; sent <= kMaxUnacked; sent += large.size()) door.membership->send(1, FrameType::kStates, large);
  door.membership->on_time(at(Seconds(1)));

  CHECK(door.drops(Drop::kSlowPeer) == 1);
  CHECK(door.take_said() == "lost host0;left host0: too slow: its queue was full;");
}

namespace {

LinkId bulk_link(Door& door, ByteView request) {
  proto::Hello h;
  h.set_protocol(kProtocolVersion);
  const Token token = door.token_of(1);
  h.mutable_bulk()->set_connection(1);
  h.mutable_bulk()->set_token(token.data(), token.size());
  const LinkId link = door.knock(h);
  if (!request.empty()) door.bytes(link, FrameType::kAssetRequest, request);
  return link;
}

Bytes request(std::uint64_t hash, std::uint64_t offset) {
  Bytes out;
  Writer w(out);
  w.u64(hash), w.u64(offset);
  return out;
}

}  // namespace

TEST_CASE("an asset comes in chunks from where the peer asks, as fast as its queue drains") {
  Door door;
  const auto asset = std::make_shared<const Bytes>(3 * kMaxChunk + 10, std::uint8_t{5});
  door.membership->offer(99, asset);
  door.knock(Door::hello("host0"));

  const LinkId whole = bulk_link(door, request(99, 0));
  CHECK(FakeNetwork::names(door.network.take(whole)) == "asset_chunk asset_chunk asset_chunk asset_chunk");
  const LinkId rest = bulk_link(door, request(99, 3 * kMaxChunk));
  const auto frames = door.network.take(rest);
  REQUIRE(FakeNetwork::names(frames) == "asset_chunk");
  CHECK(frames[0].payload.size() == 24 + 10);
  CHECK(door.network.closed.count(whole) == 1);  // one bulk link a member

  const LinkId full = bulk_link(door, {});
  door.network.queue_full.insert(full);
  door.bytes(full, FrameType::kAssetRequest, request(99, 0));
  CHECK(door.network.take(full).empty());
  door.network.queue_full.clear();
  door.membership->on_time(at(milliseconds(1)));
  CHECK(door.network.take(full).size() == 4);
}

TEST_CASE("a new bulk link gets nothing of what was asked for on the old one") {
  Door door;
  door.membership->offer(99, std::make_shared<const Bytes>(2 * kMaxChunk));
  door.knock(Door::hello("host0"));
  const LinkId old = bulk_link(door, {});
  door.network.queue_full.insert(old);
  door.bytes(old, FrameType::kAssetRequest, request(99, 0));

  const LinkId next = bulk_link(door, {});  // its request is still on the way
  door.membership->on_time(at(milliseconds(1)));

  CHECK(door.network.take(next).empty());
}

TEST_CASE("requests for unknown assets and nonsense on the bulk link are counted") {
  Door door;
  door.membership->offer(99, std::make_shared<const Bytes>(10));
  door.knock(Door::hello("host0"));
  const LinkId link = bulk_link(door, request(98, 0));
  door.bytes(link, FrameType::kAssetRequest, request(99, 11));
  CHECK(door.drops(Drop::kAssetUnknown) == 2);
  door.bytes(link, FrameType::kAssetRequest, as_bytes("short"));
  CHECK(door.drops(Drop::kMalformed) == 1);
  door.bytes(link, FrameType::kStates, {});
  CHECK(door.drops(Drop::kUnexpected) == 1);
  proto::Hello h;
  h.set_protocol(kProtocolVersion);
  h.mutable_bulk()->set_connection(1);
  h.mutable_bulk()->set_token("0123456789abcdef");
  CHECK(door.declined(door.knock(h)) == "9: unknown connection number or wrong token");
}

TEST_CASE("ten megabytes of garbage are counted and forgotten") {
  Door door;
  Random random{1, 0};
  Bytes garbage(10 << 20);
  for (std::uint8_t& byte : garbage) byte = static_cast<std::uint8_t>(random.bits());

  for (std::size_t from = 0; from < garbage.size(); from += 4096) {  // each piece on a link of its own
    const LinkId link = door.network.connect();
    door.membership->on_opened(link, {});
    door.membership->on_bytes(link, ByteView(garbage).subspan(from, 4096), {});
    door.network.out.clear();
  }
  for (std::size_t from = 0; from + 1000 <= garbage.size(); from += 1000)
    door.membership->on_datagram(kHome, ByteView(garbage).subspan(from, 1000), {});
  const LinkId link = door.knock(Door::hello("host0"));
  for (std::size_t from = 0; from < garbage.size(); from += 4096)
    door.membership->on_bytes(link, ByteView(garbage).subspan(from, 4096), {});

  CHECK(door.drops(Drop::kDeclined) == 2560);
  CHECK(door.drops(Drop::kTooLarge) + door.drops(Drop::kMalformed) >= 2560);
  CHECK(door.drops(Drop::kBadChecksum) == 10485);
  CHECK(door.membership->members().size() == 1);
  CHECK(door.network.closed.count(link) == 1);
}
