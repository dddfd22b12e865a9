#include "session/life_links.h"

#include <doctest/doctest.h>

#include "session/fake_door.h"

namespace life_links_test {

using namespace convoy;
using namespace convoy::testing;

namespace {

using std::chrono::milliseconds;

LinkId life_link(Door& door, Owner whose, Moment now = {}) {
  proto::Hello h;
  h.set_protocol(kProtocolVersion);
  const Token token = door.token_of(whose);
  h.mutable_life()->set_connection(whose.value());
  h.mutable_life()->set_token(token.data(), token.size());
  return door.knock(h, now);
}

void sign(Door& door, LinkId link, std::string_view busy, Moment now = {}) {
  door.membership->on_bytes(link, life_sign(busy), now);
}

// Time passes for a server that listens all the while.
void pass(Door& door, Duration from, Duration to) {
  for (Duration t = from; t <= to; t += milliseconds(50)) door.membership->on_time(at(t));
}

}  // namespace

TEST_CASE("signs on a link of their own keep a member whose control link is silent, and name what it is busy with") {
  Door door({.liveness = std::chrono::seconds(2)});
  door.welcome(door.knock(Door::hello("host0")));
  door.welcome(door.knock(Door::hello("host1")));
  door.take_events();
  const LinkId link = life_link(door, Owner(1));
  CHECK(door.network.take(link).empty());  // no Welcome: the server answers only to decline
  for (int i = 0; i < 40; ++i) {
    pass(door, milliseconds(250 * i), milliseconds(250 * (i + 1)));
    sign(door, link, i < 20 ? "a callback of /slow" : "", at(milliseconds(250 * (i + 1))));
    if (i == 10) CHECK(door.membership->side().life().busy_with(Owner(1)) == "a callback of /slow");
  }
  CHECK(door.take_events() == "left host1: silent for longer than the liveness limit;");
  CHECK(door.membership->side().life().busy_with(Owner(1)) == "");

  pass(door, milliseconds(10'000), milliseconds(12'300));
  CHECK(door.take_events() == "left host0: silent for longer than the liveness limit;");
  CHECK(door.network.closed.count(link) == 1);
}

TEST_CASE("a link for signs needs its member's token, a new one replaces the old, and nothing else is heard on it") {
  Door door({.liveness = std::chrono::seconds(2)});
  door.welcome(door.knock(Door::hello("host0")));
  proto::Hello wrong;
  wrong.set_protocol(kProtocolVersion);
  wrong.mutable_life()->set_connection(1);
  wrong.mutable_life()->set_token("no");
  CHECK(door.declined(door.knock(wrong)) == "9: unknown connection number or wrong token");
  wrong.mutable_life()->set_connection(7);
  CHECK(door.declined(door.knock(wrong)) == "9: unknown connection number or wrong token");

  const LinkId first = life_link(door, Owner(1)), second = life_link(door, Owner(1));
  CHECK(door.network.closed.count(first) == 1);
  door.take_events();
  door.bytes(second, FrameType::kGoodbye, {});
  door.bytes(second, FrameType::kReady, {});
  CHECK(door.take_events() == "");
  CHECK(door.drops(Drop::kUnexpected) == 2);

  sign(door, second, "this");
  sign(door, second, "a\nforged line");
  sign(door, second, std::string(kMaxBusyText, 'x') + "y");  // cut by the sender
  CHECK(door.membership->side().life().busy_with(Owner(1)) == std::string(kMaxBusyText, 'x'));
  CHECK(door.drops(Drop::kMalformed) == 1);
  door.bytes(second, FrameType::kHeartbeat, as_bytes(std::string(kMaxBusyText + 1, 'z')));
  CHECK(door.drops(Drop::kMalformed) == 2);

  const Bytes junk(64, 0xAB);
  door.membership->on_bytes(second, junk, {});
  CHECK(door.network.closed.count(second) == 1);
  CHECK(door.membership->side().life().busy_with(Owner(1)) == "");
  CHECK(door.state(Owner(1)) != "gone");

  const LinkId third = life_link(door, Owner(1));
  door.membership->on_closed(third, {});
  const LinkId fourth = life_link(door, Owner(1));
  door.membership->drop(Owner(1), LeaveReason::kGoodbye, {});
  CHECK(door.network.closed.count(fourth) == 1);
}

}  // namespace life_links_test
