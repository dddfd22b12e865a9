#include "session/membership.h"

#include <doctest/doctest.h>

#include "session/fake_door.h"

namespace membership_test {

using namespace convoy;
using namespace convoy::testing;

namespace {

using std::chrono::milliseconds;
using Seconds = std::chrono::seconds;

const Endpoint kHome{0, 1, 1000}, kOther{0, 1, 2000};

// A host that wants datagrams and is ready: number 1 in await_udp.
LinkId waiting_for_udp(Door& door) {
  proto::Hello h = Door::hello("host0");
  h.set_datagrams(true);
  const LinkId link = door.knock(h);
  door.bytes(link, FrameType::kReady, {}, 1);
  door.network.take(link);
  door.take_events();
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
  CHECK(door.take_events() == "joined host0;");
  CHECK(door.state(Owner(1)) == "numbered");
}

TEST_CASE("a bad Hello is declined with a code, a text with the reason, and a closed link") {
  const auto refused = [](const proto::Hello& h, MembershipOptions options = {}) {
    Door door(std::move(options));
    const LinkId link = door.knock(h);
    const std::string text = door.declined(link);
    CHECK(door.network.closed.count(link) == 1);
    CHECK(door.membership->members().empty());
    CHECK(door.drops(Drop::kDeclined) == 1);
    return text;
  };
  proto::Hello h = Door::hello("host0");

  h.set_protocol(kProtocolVersion - 1);
  CHECK(refused(h) == "2: protocol version 15, this server speaks 16");
  h = Door::hello("host0"), h.set_build("b2");
  CHECK(refused(h) == "3: build b2, but lockstep needs the server's own, b1");
  h = Door::hello("host0"), h.set_fingerprint(8);
  CHECK(refused(h) ==
        "4: numeric fingerprint 0000000000000008 differs from the server's 0000000000000007: this machine "
        "computes other bits, so lockstep would diverge (see docs/determinism.md)");
  CHECK(refused(Door::hello("host0"), {.max_members = 0}) == "5: the server is full (0 connections)");
  CHECK(refused(Door::hello("no good")) == "6: the name is not valid");
  CHECK(refused(Door::hello("host0"), {.credentials = {{"secret", {}}}}).starts_with("7: credentials are needed, or "));
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

TEST_CASE("a program takes the place of its name and no other, and no other client does") {
  const MembershipOptions options{.program_build = "p1", .programs = {"guest", "nav"}};
  const auto knock = [&](const char* name, const char* build) {
    Door door(options);
    proto::Hello h = Door::hello(name);
    h.set_build(build);
    const LinkId link = door.knock(h);
    return door.membership->members().empty() ? door.declined(link) : "welcome " + door.welcome(link).name();
  };

  CHECK(knock("guest", "p1") == "welcome guest");
  CHECK(knock("host0", "b1") == "welcome host0");
  CHECK(knock("gest", "p1") == "6: no robot 'gest' here waits for its program; these do: guest, nav");
  CHECK(knock("guest", "b1") == "6: 'guest' waits for a program of its own, built with this Convoy");
  CHECK(knock("guest", "p2") == "6: 'guest' waits for a program of its own, built with this Convoy");
  CHECK(knock("host0", "p2") == "3: build p2, but lockstep needs the server's own, b1");
}

TEST_CASE("a program with engines of its own is a host if its library was made together with the server") {
  const auto knock = [](const char* build, std::uint64_t fingerprint) {
    Door door({.host_build = "l1"});
    proto::Hello h = Door::hello("cars");
    h.set_build(build), h.set_fingerprint(fingerprint);
    const LinkId link = door.knock(h);
    return door.membership->members().empty() ? door.declined(link) : "welcome " + door.welcome(link).name();
  };
  const std::uint64_t ours = Door::hello("cars").fingerprint();
  CHECK(knock("l1", ours) == "welcome cars");
  CHECK(knock("l2", ours) == "3: build l2, but lockstep needs the server's own, b1");
  CHECK(knock("l1", ours + 1).starts_with("4: numeric fingerprint"));
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

TEST_CASE("a link without a Hello is closed when the handshake time is over") {
  Door door;
  const LinkId link = door.network.connect();
  door.membership->on_opened(link, {});
  Moment last{};
  while (door.network.closed.empty()) {  // as often as it wants
    REQUIRE(door.membership->deadline() > last);
    last = door.membership->deadline();
    door.membership->on_time(last);
  }

  CHECK(last == at(Seconds(5)));
  CHECK(door.network.closed.count(link) == 1);
  CHECK(door.drops(Drop::kHandshakeTimeout) == 1);
  CHECK(door.declined(link) == "1: no Hello within the handshake time");
}

TEST_CASE("a server that was stopped takes the Hello, and the datagram, that have waited for it") {
  Door door({.free_mode = true});
  const LinkId link = door.network.connect();
  door.membership->on_opened(link, {});
  proto::Hello h = Door::hello("host0");
  h.set_datagrams(true);

  door.membership->on_time(at(Seconds(60)));
  door.bytes(link, FrameType::kHello, as_bytes(h.SerializeAsString()), 0, 0, at(Seconds(60)));
  CHECK(door.welcome(link).connection() == 1);
  door.bytes(link, FrameType::kReady, {}, 1, 0, at(Seconds(60)));
  door.membership->on_time(at(Seconds(120)));
  CHECK(door.state(Owner(1)) == "await_udp");
  door.datagram_from(kHome, DatagramType::kRegister, Owner(1), door.token_of(Owner(1)), at(Seconds(120)));

  CHECK(door.state(Owner(1)) == "registered");
  CHECK(door.drops(Drop::kHandshakeTimeout) == 0);
}

TEST_CASE("a second Ready is counted and goes no further") {
  Door door;
  const LinkId link = door.knock(Door::hello("host0"));
  door.take_events();

  for (std::uint32_t seq : {1, 2}) door.bytes(link, FrameType::kReady, {}, seq);

  CHECK(door.take_events() == "ready of host0;");
  CHECK(door.drops(Drop::kUnexpected) == 1);
  CHECK(door.network.closed.count(link) == 0);
}

TEST_CASE("half-open links are bounded, and the oldest makes room") {
  Door door({.reception = {.max_links = 2}});
  for (LinkId link : {3, 1, 2}) door.membership->on_opened(link, at(milliseconds(10 - link)));

  CHECK(door.network.closed == std::set<LinkId>{3});
  CHECK(door.drops(Drop::kFull) == 1);
}

TEST_CASE("two seats beyond the others are kept for control") {
  Door door({.max_members = 1});
  CHECK(door.welcome(door.knock(Door::hello("host0"))).connection() == 1);
  CHECK(door.declined(door.knock(Door::hello("host1"))) == "5: the server is full (1 connections)");
  for (int i = 0; i < 2; ++i) CHECK(door.welcome(door.knock(Door::hello("", PeerRole::kControl))).connection() > 1);
  CHECK(door.declined(door.knock(Door::hello("", PeerRole::kControl))) == "5: the server is full (1 connections)");
}

TEST_CASE("a storm of strangers takes few lines of log, and is counted") {
  Door door;
  for (LinkId link = 1; link <= 100; ++link) {
    door.membership->on_opened(link, {});
    door.bytes(link, FrameType::kReady, {});
  }
  door.membership->on_time(at(Seconds(1)));

  CHECK(door.drops(Drop::kDeclined) == 100);
  CHECK(door.log.lines.size() == 6);
  CHECK(door.log.lines.back() == "declined 95 more connections");
}

TEST_CASE("a host without datagrams is registered as soon as it is ready") {
  Door door;
  const LinkId link = door.knock(Door::hello("host0"));

  door.bytes(link, FrameType::kReady, {}, 1);

  CHECK(door.state(Owner(1)) == "registered");
}

TEST_CASE("a host with datagrams waits for the first one, and gets a frame when it has come") {
  Door door;
  const LinkId link = waiting_for_udp(door);
  CHECK(door.state(Owner(1)) == "await_udp");

  door.datagram_from(kHome, DatagramType::kRegister, Owner(1), door.token_of(Owner(1)));

  CHECK(door.state(Owner(1)) == "registered");
  CHECK(FakeNetwork::names(door.network.take(link)) == "udp_confirmed");
  door.datagram_from(kHome, DatagramType::kStates, Owner(1), {});
  CHECK(door.take_events() == "datagram of host0;");
}

TEST_CASE("in free mode a host is not ready before its first datagram") {
  Door door({.free_mode = true});
  proto::Hello h = Door::hello("host0");
  h.set_datagrams(true);
  const LinkId link = door.knock(h);
  door.take_events();
  door.bytes(link, FrameType::kReady, {}, 1);
  CHECK(door.take_events().empty());

  door.datagram_from(kHome, DatagramType::kRegister, Owner(1), door.token_of(Owner(1)));
  CHECK(door.take_events() == "ready of host0;");
  door.datagram_from(kHome, DatagramType::kRegister, Owner(1), door.token_of(Owner(1)));
  CHECK(door.take_events().empty());
}

TEST_CASE("a register datagram may come before the exchange is over") {
  Door door;
  proto::Hello h = Door::hello("host0");
  h.set_datagrams(true);
  const LinkId link = door.knock(h);

  door.datagram_from(kHome, DatagramType::kRegister, Owner(1), door.token_of(Owner(1)));
  CHECK(door.state(Owner(1)) == "numbered");
  door.bytes(link, FrameType::kReady, {}, 1);

  CHECK(door.state(Owner(1)) == "registered");
}

TEST_CASE("in lockstep who sends no datagram in time is named once, and goes on without") {
  Door door({.liveness = Duration{0}});
  const LinkId link = waiting_for_udp(door);
  door.take_events();

  listen(*door.membership, {}, at(Seconds(60)));

  CHECK(door.state(Owner(1)) == "registered");
  CHECK(door.take_events() == "");
  CHECK(door.drops(Drop::kUdpTimeout) == 1);
  CHECK(door.network.closed.count(link) == 0);
}

TEST_CASE("in free mode, without a datagram in time, the number is dropped") {
  Door door({.free_mode = true, .liveness = Duration{0}});
  const LinkId link = waiting_for_udp(door);

  listen(*door.membership, {}, at(milliseconds(9999)));
  CHECK(door.state(Owner(1)) == "await_udp");
  door.membership->on_time(at(Seconds(10)));

  CHECK(door.state(Owner(1)) == "gone");
  CHECK(door.drops(Drop::kUdpTimeout) == 1);
  CHECK(door.take_events() == "left host0: sent no datagram in time;");
  CHECK(door.network.closed.count(link) == 1);
}

TEST_CASE("datagrams with a wrong token, number, type or address are dropped by name") {
  Door door;
  waiting_for_udp(door);
  Token wrong = door.token_of(Owner(1));
  wrong[7] ^= 1;

  door.datagram_from(kHome, DatagramType::kStates, Owner(1), {});
  CHECK(door.drops(Drop::kWrongEndpoint) == 1);  // not registered yet
  door.datagram_from(kHome, DatagramType::kRegister, Owner(1), wrong);
  door.datagram_from(kHome, DatagramType::kRegister, Owner(1), ByteView(wrong).first(15));
  door.datagram_from(kHome, DatagramType::kGoodbye, Owner(1), wrong);
  CHECK(door.drops(Drop::kBadToken) == 3);
  door.datagram_from(kHome, DatagramType::kRegister, Owner(77), door.token_of(Owner(1)));
  CHECK(door.drops(Drop::kUnknownConnection) == 1);
  door.datagram_from(kHome, static_cast<DatagramType>(200), Owner(1), {});
  CHECK(door.drops(Drop::kUnknownType) == 1);
  door.membership->on_datagram(kHome, Bytes(kMaxDatagram + 1), {});
  CHECK(door.drops(Drop::kTooLarge) == 1);
  door.membership->on_datagram(kHome, Bytes(10), {});
  CHECK(door.drops(Drop::kMalformed) == 1);
  door.membership->on_datagram(kHome, Bytes(100), {});
  CHECK(door.drops(Drop::kBadChecksum) == 1);

  CHECK(door.state(Owner(1)) == "await_udp");
  CHECK(door.take_events().empty());
}

TEST_CASE("a changed address must answer a nonce that was given over TCP") {
  Door door;
  const LinkId link = waiting_for_udp(door);
  door.datagram_from(kHome, DatagramType::kRegister, Owner(1), door.token_of(Owner(1)));
  door.network.take(link);

  door.datagram_from(kOther, DatagramType::kRegister, Owner(1), door.token_of(Owner(1)));
  const auto asked = door.network.take(link);
  REQUIRE(FakeNetwork::names(asked) == "nonce");
  door.datagram_from(kOther, DatagramType::kStates, Owner(1), {});
  CHECK(door.drops(Drop::kWrongEndpoint) == 2);
  CHECK(door.take_events().empty());

  SUBCASE("the right answer from there moves it") {
    door.datagram_from(kOther, DatagramType::kAnswer, Owner(1), asked[0].payload);
    CHECK(FakeNetwork::names(door.network.take(link)) == "udp_confirmed");
    door.datagram_from(kOther, DatagramType::kStates, Owner(1), {});
    CHECK(door.take_events() == "datagram of host0;");
    door.datagram_from(kHome, DatagramType::kStates, Owner(1), {});
    CHECK(door.drops(Drop::kWrongEndpoint) == 3);
    door.datagram_from(kOther, DatagramType::kAnswer, Owner(1), asked[0].payload);  // once only
    CHECK(door.drops(Drop::kBadNonce) == 1);
  }
  SUBCASE("a wrong answer, one cut short, or one from elsewhere does not") {
    Bytes wrong = asked[0].payload;
    wrong[3] ^= 1;
    door.datagram_from(kOther, DatagramType::kAnswer, Owner(1), wrong);
    door.datagram_from(kOther, DatagramType::kAnswer, Owner(1), ByteView(asked[0].payload).first(7));
    door.datagram_from(kHome, DatagramType::kAnswer, Owner(1), asked[0].payload);
    CHECK(door.drops(Drop::kBadNonce) == 3);
    door.datagram_from(kHome, DatagramType::kStates, Owner(1), {});
    CHECK(door.take_events() == "datagram of host0;");
  }
}

TEST_CASE("goodbye by frame and by datagram end a membership") {
  Door door;
  const LinkId link = waiting_for_udp(door);

  SUBCASE("by frame") { door.bytes(link, FrameType::kGoodbye, {}); }
  SUBCASE("by datagram with the token") {
    door.datagram_from(kHome, DatagramType::kGoodbye, Owner(1), door.token_of(Owner(1)));
  }

  CHECK(door.take_events() == "left host0: goodbye;");
  CHECK(door.network.closed.count(link) == 1);
  CHECK(door.network.take(link).empty());  // no goodbye in answer to a goodbye
}

TEST_CASE("a lost link keeps the member, and a resume gets what it has missed, once") {
  Door door;
  const LinkId first = door.knock(Door::hello("host0"));
  door.bytes(first, FrameType::kReady, {}, 1);
  for (const char* text : {"one", "two", "three"}) door.membership->send(Owner(1), FrameType::kOpen, as_bytes(text));
  door.membership->flush();
  door.take_events();

  door.membership->on_closed(first, {});
  CHECK(door.take_events() == "lost host0;");
  door.membership->send(Owner(1), FrameType::kOpen, as_bytes("four"));
  proto::Hello h = Door::hello("host0");
  const Token token = door.token_of(Owner(1));
  h.mutable_resume()->set_connection(1);
  h.mutable_resume()->set_token(token.data(), token.size());
  h.mutable_resume()->set_received(2);
  const LinkId second = door.knock(h);

  const auto frames = door.network.take(second);
  CHECK(FakeNetwork::names(frames) == "welcome open open");
  CHECK(as_text(frames[1].payload) == "three");
  CHECK(frames[2].header.seq == 4);
  CHECK(door.take_events() == "resumed host0;");
  door.bytes(second, FrameType::kReady, {}, 1);  // it sends again what it has sent: dropped
  CHECK(door.drops(Drop::kDuplicateFrame) == 1);
  CHECK(door.take_events().empty());
}

TEST_CASE("a resume before the old link's end is known takes its place") {
  Door door;
  const LinkId first = door.knock(Door::hello("host0"));
  proto::Hello h = Door::hello("host0");
  const Token token = door.token_of(Owner(1));
  h.mutable_resume()->set_connection(1);
  h.mutable_resume()->set_token(token.data(), token.size());

  const LinkId second = door.knock(h);
  door.take_events();
  door.bytes(first, FrameType::kOpen, as_bytes("old"), 1);  // the old link counts no more
  door.bytes(second, FrameType::kOpen, as_bytes("new"), 1);

  CHECK(door.network.closed == std::set<LinkId>{first});
  CHECK(door.take_events() == "open of host0:new;");
}

TEST_CASE("a skipped frame, a damaged one and one too large end the link, not the member") {
  Door door;
  const LinkId link = door.knock(Door::hello("host0"));
  door.take_events();
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

  CHECK(door.take_events() == "lost host0;");
  CHECK(door.network.closed.count(link) == 1);
  CHECK(door.state(Owner(1)) == "numbered");
}

TEST_CASE("unknown frames of a member are counted and ignored") {
  Door door;
  const LinkId link = door.knock(Door::hello("host0"));
  door.take_events();

  door.bytes(link, static_cast<FrameType>(200), {});

  CHECK(door.drops(Drop::kUnknownType) == 1);
  CHECK(door.take_events().empty());
}

TEST_CASE("silence for longer than the liveness ends a member; any byte is a sign of life") {
  Door door({.liveness = Seconds(2)});
  const LinkId link = door.knock(Door::hello("host0"));
  door.bytes(link, FrameType::kHeartbeat, {}, 0, 0, at(Seconds(1)));
  door.take_events();

  listen(*door.membership, at(Seconds(1)), at(milliseconds(2999)));
  CHECK(door.state(Owner(1)) == "numbered");
  door.membership->on_time(at(Seconds(3)));

  CHECK(door.take_events() == "left host0: silent for longer than the liveness limit;");
  const auto frames = door.network.take(link);
  CHECK(frames.back().header.type == FrameType::kGoodbye);
  CHECK(as_text(frames.back().payload) == "silent for longer than the liveness limit");
}

TEST_CASE("a server that was stopped loses no host that was not: silence counts while it listens") {
  Door door({.liveness = Seconds(2)});
  const LinkId link = door.knock(Door::hello("host0"));
  door.knock(Door::hello("host1"));
  listen(*door.membership, {}, at(Seconds(1)));
  door.take_events();

  SUBCASE("stopped for 30 s") {
    door.membership->on_time(at(Seconds(31)));
    CHECK(door.take_events().empty());
    door.bytes(link, FrameType::kHeartbeat, {}, 0, 0, at(Seconds(31)));  // waited in its socket
    listen(*door.membership, at(Seconds(31)), at(milliseconds(31'700)));
    CHECK(door.take_events().empty());
    listen(*door.membership, at(milliseconds(31'700)), at(milliseconds(31'800)));
    CHECK(door.take_events() == "left host1: silent for longer than the liveness limit;");
  }
  SUBCASE("stopped again and again: a dead host is found all the same") {
    for (int i = 0; i < 3; ++i) door.membership->on_time(at(Seconds(10 + 9 * i)));
    door.bytes(link, FrameType::kHeartbeat, {}, 0, 0, at(Seconds(28)));
    door.membership->on_time(at(Seconds(37)));
    CHECK(door.take_events() == "left host1: silent for longer than the liveness limit;");
  }
  SUBCASE("its clock jumps back, and goes on") {
    door.membership->on_time(at(milliseconds(100)));
    listen(*door.membership, at(milliseconds(100)), at(milliseconds(1000)));
    CHECK(door.take_events().empty());
    listen(*door.membership, at(milliseconds(1000)), at(milliseconds(1100)));
    CHECK(door.take_events() ==
          "left host0: silent for longer than the liveness limit;left host1: silent for longer than the liveness "
          "limit;");
  }
}

TEST_CASE("with the liveness off silent hosts stay for ever, and control leaves with its link") {
  Door door({.liveness = Duration{0}});
  const LinkId host = door.knock(Door::hello("host0"));
  const LinkId ctl = door.knock(Door::hello("ctl", PeerRole::kControl));
  door.take_events();

  door.membership->on_time(at(std::chrono::hours(100)));
  CHECK(door.membership->members().size() == 2);
  door.membership->on_closed(host, {});
  door.membership->on_closed(ctl, {});

  CHECK(door.take_events() == "lost host0;left ctl: goodbye;");
}

TEST_CASE("a peer that takes nothing is dropped when its queue is full") {
  Door door({.liveness = Duration{0}});
  const LinkId link = door.knock(Door::hello("host0"));
  door.take_events();
  door.membership->on_closed(link, {});
  const Bytes large(kMaxFrame);

  for (std::size_t sent = 0; sent <= kMaxUnacked; sent += large.size())
    door.membership->send(Owner(1), FrameType::kStates, large);
  door.membership->on_time(at(Seconds(1)));

  CHECK(door.drops(Drop::kSlowPeer) == 1);
  CHECK(door.take_events() == "lost host0;left host0: too slow: its queue was full;");
}

TEST_CASE("a datagram that cannot be used yet is not acknowledged") {
  Door door;
  waiting_for_udp(door);
  door.datagram_from(kHome, DatagramType::kRegister, Owner(1), door.token_of(Owner(1)));
  door.useful = false;
  door.datagram_from(kHome, DatagramType::kStates, Owner(1), {});
  door.membership->send_datagram(Owner(1), DatagramType::kStates, 0, 0, {});
  door.useful = true;
  door.datagram_from(kHome, DatagramType::kStates, Owner(1), {}, {}, 2);
  door.membership->send_datagram(Owner(1), DatagramType::kStates, 0, 0, {});

  REQUIRE(door.network.datagrams.size() == 2);
  Datagram before, after;
  REQUIRE(parse_datagram(door.network.datagrams[0], before) == DatagramTrouble::kNone);
  REQUIRE(parse_datagram(door.network.datagrams[1], after) == DatagramTrouble::kNone);
  CHECK(before.ack == 0);
  CHECK(after.ack == 2);
  CHECK(after.ack_bits == 0);
}

}  // namespace membership_test
