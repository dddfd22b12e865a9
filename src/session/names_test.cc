// Who gets which name: clients without one, hosts that come again, names that are held.
#include <doctest/doctest.h>

#include "session/fake_door.h"

namespace names_test {

using namespace convoy;
using namespace convoy::testing;

TEST_CASE("a taken name is declined, an empty one is given") {
  Door door;
  const LinkId first = door.knock(Door::hello("host0"));
  door.bytes(first, FrameType::kHeartbeat, {});

  CHECK(door.declined(door.knock(Door::hello("host0", PeerRole::kControl))) == "6: the name 'host0' is taken");
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
  CHECK(door.take_events() == "joined host0;left host0: came again before it had said anything;joined host0;");
}

TEST_CASE("a Hello that a newer one of the same client has overtaken ends nothing") {
  Door door;
  const auto attempt = [](std::uint32_t n) {
    proto::Hello hello = Door::hello("host0");
    hello.set_attempt(n);
    return hello;
  };
  const LinkId second = door.knock(attempt(2));

  const LinkId first = door.knock(attempt(1));

  CHECK(door.network.closed.count(first) == 1);
  CHECK(door.declined(first).empty());
  CHECK(door.network.closed.count(second) == 0);
  CHECK(door.take_events() == "joined host0;");
  CHECK(door.drops(Drop::kUnexpected) == 1);
  CHECK(door.welcome(door.knock(attempt(2))).connection() ==
        2);  // another process under this name, once it has caught up
}

TEST_CASE("a new process gets the name of one whose links are all closed at once, and else is told to dial again") {
  Door door;
  const auto attempt = [](std::uint32_t n, PeerRole role = PeerRole::kRobotClient) {
    proto::Hello hello = Door::hello("host0", role);
    hello.set_attempt(n);
    return hello;
  };
  const char* held = "12: the name 'host0' is held by a host that is connected; 'convoy ctl kick host0' sends it away";
  const LinkId first = door.knock(attempt(2));
  door.bytes(first, FrameType::kHeartbeat, {});
  const Token token = door.token_of(Owner(1));
  const Bytes greeting = side_hello(SideLink::kLife, Owner(1), token);
  const LinkId life = door.network.connect();
  door.membership->on_opened(life, {});
  door.membership->on_bytes(life, greeting, {});
  door.take_events();

  CHECK(door.declined(door.knock(attempt(5))) == held);
  door.membership->on_closed(first, {});
  CHECK(door.take_events() == "lost host0;");
  CHECK(door.declined(door.knock(attempt(5))) == held);  // its signs of life still come
  door.membership->on_closed(life, {});
  CHECK(door.declined(door.knock(attempt(1))) == held);  // perhaps an old Hello of the holder's own
  CHECK(door.declined(door.knock(attempt(5, PeerRole::kForeign))) == "6: the name 'host0' is taken");
  CHECK(door.take_events().empty());

  CHECK(door.welcome(door.knock(attempt(3))).connection() == 2);
  CHECK(door.take_events() ==
        "left host0: its links are closed, and a new process has come under its name;joined host0;");
}

TEST_CASE("who may be no host gets no name of one") {
  MembershipOptions options;
  options.credentials = {{"a secret of drivers", {Access::kDrive, false}},
                         {"a secret of hosts!", {Access::kAdmin, true}}};
  Door door(options);
  proto::Hello host = Door::hello("host0");
  host.set_credentials("a secret of hosts!");
  const LinkId first = door.knock(host);
  door.bytes(first, FrameType::kHeartbeat, {});
  door.membership->on_closed(first, {});
  door.take_events();

  proto::Hello driver = Door::hello("host0");
  driver.set_credentials("a secret of drivers");
  driver.set_attempt(9);
  CHECK(door.declined(door.knock(driver)) == "7: these credentials let no host in");
  CHECK(door.take_events().empty());
}

}  // namespace names_test
