#include "session/relay_links.h"

#include <doctest/doctest.h>

#include "session/fake_door.h"
#include "session/relay_link.h"

namespace relay_links_test {

using namespace convoy;
using namespace convoy::testing;
using namespace std::chrono_literals;
using Passing = RelayLinks::Passing;

namespace {

// A door with a member, whose links for samples can be opened.
struct Member1 : Door {
  Member1() {
    knock(hello("eyes", PeerRole::kSensorHost));
    take_events();
  }
  LinkId open(const Token& token, Owner number = Owner(1)) {
    const LinkId link = network.connect();
    membership->on_opened(link, {});
    membership->on_bytes(link, side_hello(SideLink::kRelay, number, token), {});
    return link;
  }
  LinkId open() { return open(token_of(Owner(1))); }
  RelayLinks& links() { return membership->side().relay(); }
  std::string sent(LinkId link) {
    std::string text;
    for (const FakeNetwork::Sent& frame : network.take(link))
      text += std::string(name_of(*frame.header.type)) + ":" + std::string(as_text(frame.payload)) + ";";
    return text;
  }
};

Bytes framed(FrameType type, std::string_view payload) {
  Bytes out;
  put_frame(out, type, 0, 0, as_bytes(payload));
  return out;
}

}  // namespace

TEST_CASE("what comes on a member's link for samples is that member's, and what else comes there closes it") {
  Member1 door;
  const LinkId link = door.open();
  REQUIRE(door.links().has(Owner(1)));
  CHECK(door.membership->side().has(Owner(1)));
  Bytes bytes = framed(FrameType::kSamples, "many points");
  const Bytes more = framed(FrameType::kSamples, "a picture");
  bytes.insert(bytes.end(), more.begin(), more.end());
  door.membership->on_bytes(link, ByteView(bytes).first(30), {});
  CHECK(door.take_events().empty());
  door.membership->on_bytes(link, ByteView(bytes).subspan(30), {});
  CHECK(door.take_events() == "samples by the link of eyes:many points;samples by the link of eyes:a picture;");

  door.membership->on_bytes(link, framed(FrameType::kStates, "x"), {});
  CHECK(door.take_events() == "states by the link of eyes:x;lost link of eyes;");
  CHECK(door.network.closed.count(link) == 1);
  CHECK(door.drops(Drop::kUnexpected) == 1);
  CHECK(!door.links().has(Owner(1)));

  const LinkId again = door.open();
  door.membership->on_bytes(again, Bytes(100, 0x41), {});
  CHECK(door.take_events() == "lost link of eyes;");
  CHECK(door.network.closed.count(again) == 1);
}

TEST_CASE("who has no token of a member opens no link for samples") {
  Member1 door;
  const LinkId wrong = door.open(Token{99}), nobody = door.open(door.token_of(Owner(1)), Owner(2));
  CHECK(door.declined(wrong) == "9: unknown connection number or wrong token");
  CHECK(door.declined(nobody) == "9: unknown connection number or wrong token");
  CHECK(!door.links().has(Owner(1)));
}

TEST_CASE("what is for a member without a link waits for it, up to a limit") {
  Member1 door;
  RelayLinks& links = door.links();
  CHECK(links.pass(Owner(1), FrameType::kSamples, as_bytes("first")) == Passing::kFirstWaits);
  CHECK(links.pass(Owner(1), FrameType::kSamples, as_bytes("second")) == Passing::kWaits);
  const LinkId link = door.open();
  CHECK(door.sent(link) == "samples:first;samples:second;");
  CHECK(links.pass(Owner(1), FrameType::kSamples, as_bytes("third")) == Passing::kSent);
  CHECK(door.sent(link) == "samples:third;");

  door.membership->on_closed(link, {});
  CHECK(door.take_events() == "lost link of eyes;");
  const Bytes large(1 << 20);
  CHECK(links.pass(Owner(1), FrameType::kSamples, large) == Passing::kFirstWaits);
  int waiting = 1;
  while (links.pass(Owner(1), FrameType::kSamples, large) == Passing::kWaits) ++waiting;
  CHECK(waiting == 15);  // each is a little over 1 MiB
  CHECK(links.pass(Owner(1), FrameType::kSamples, as_bytes("small")) == Passing::kWaits);
}

TEST_CASE("a member that takes too slowly loses its link, and another one goes on") {
  Member1 door;
  const LinkId slow = door.open();
  door.network.queue_full.insert(slow);
  CHECK(door.links().pass(Owner(1), FrameType::kSamples, as_bytes("points")) == Passing::kLost);
  CHECK(door.network.closed.count(slow) == 1);
  CHECK(door.take_events().empty());  // the caller knows
  const LinkId first = door.open(), second = door.open();
  CHECK(door.take_events() == "lost link of eyes;");  // of the first, for the second
  CHECK(door.network.closed.count(first) == 1);
  CHECK(door.links().pass(Owner(1), FrameType::kSamples, as_bytes("points")) == Passing::kSent);
  CHECK(door.sent(second) == "samples:points;");
}

TEST_CASE("a member's link for samples ends with the member, and nothing waits for it any more") {
  Member1 door;
  const LinkId link = door.open();
  door.membership->drop(Owner(1), LeaveReason::kKilled, {});
  CHECK(door.network.closed.count(link) == 1);
  CHECK(!door.links().has(Owner(1)));
}

TEST_CASE("the member's side opens its link when it is wanted, and again when it breaks") {
  FakeNetwork network;
  Drops drops;
  RelayLink link(network, drops);
  link.on_time({});
  CHECK(network.last_link == 0);
  CHECK(link.deadline() == kNever);

  link.want(Owner(3), Token{7});
  CHECK(link.deadline() <= Moment{});
  link.on_time({});
  REQUIRE(link.has(1));
  CHECK(!link.up());
  link.on_opened();
  CHECK(network.out[1] == side_hello(SideLink::kRelay, Owner(3), Token{7}));
  network.out.clear();
  link.send(FrameType::kSamples, as_bytes("points"));
  CHECK(network.out[1] == framed(FrameType::kSamples, "points"));

  std::string taken;
  const auto take = [&](FrameType type, ByteView payload) {
    taken += std::string(name_of(type)) + ":" + std::string(as_text(payload)) + ";";
    return type == FrameType::kSamples;
  };
  link.on_bytes(framed(FrameType::kSamples, "for this side"), {}, take);
  CHECK(taken == "samples:for this side;");
  link.on_bytes(framed(FrameType::kDecline, "no"), at(1s), take);
  CHECK(!link.up());
  CHECK(network.closed.count(1) == 1);
  CHECK(link.deadline() == at(1s) + RelayLink::kPause);
  link.on_time(at(1s));
  CHECK(network.last_link == 1);
  link.on_time(at(1s) + RelayLink::kPause);
  CHECK(link.has(2));
  link.on_closed(at(2s));  // nobody listens
  CHECK(link.deadline() == at(2s) + RelayLink::kPause);
}

}  // namespace relay_links_test
