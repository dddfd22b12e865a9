// A peer needs the whole secret: the right length is not enough, and no byte is left out.
#include <doctest/doctest.h>

#include "session/fake_door.h"

namespace credentials_test {

using namespace convoy;
using namespace convoy::testing;

namespace {

using Seconds = std::chrono::seconds;
using std::chrono::milliseconds;

const std::string kSecret = "open sesame";

// The door's answer to these credentials.
std::string answer_to(const std::string& credentials, PeerRole role = PeerRole::kRobotClient) {
  Door door({.credentials = {{kSecret, {}}}});
  proto::Hello hello = Door::hello("host0", role);
  hello.set_credentials(credentials);
  const LinkId link = door.knock(hello);
  if (!door.membership->members().empty()) return "welcome " + door.welcome(link).name();
  const std::string at_once = door.declined(link);
  for (int s = 1; s <= 2; ++s) door.membership->on_time(at(Seconds(s)));
  return at_once.empty() ? door.declined(link) : at_once;
}

const std::string kWrong = "7: wrong credentials";

}  // namespace

TEST_CASE("credentials are compared whole: each byte, and the length") {
  CHECK(answer_to(kSecret) == "welcome host0");
  for (std::size_t i = 0; i < kSecret.size(); ++i) {
    std::string other = kSecret;
    other[i] ^= 1;
    CAPTURE(i);
    CHECK(answer_to(other) == kWrong);
  }
  CHECK(answer_to(std::string(kSecret.size(), 'x')) == kWrong);
  CHECK(answer_to("") == "7: credentials are needed, or a program of the user who started the server");
  CHECK(answer_to(kSecret.substr(0, kSecret.size() - 1)) == kWrong);
  CHECK(answer_to(kSecret + "!") == kWrong);
  CHECK(answer_to(kSecret + std::string(1, '\0')) == kWrong);
}

TEST_CASE("a wrong secret is answered after a second, whatever is sent meanwhile") {
  Door door({.credentials = {{kSecret, {}}}});
  proto::Hello hello = Door::hello("host0");
  hello.set_credentials("open sesamf");
  const LinkId link = door.knock(hello);
  hello.set_credentials(kSecret);
  door.bytes(link, FrameType::kHello, as_bytes(hello.SerializeAsString()));

  Moment now{};
  while (door.network.closed.empty()) {
    CHECK(door.declined(link) == "");
    REQUIRE(door.membership->deadline() > now);
    now = door.membership->deadline();
    door.membership->on_time(now);
  }

  CHECK(now == at(kWrongSecretDelay));
  CHECK(door.declined(link) == kWrong);
  CHECK(door.membership->members().empty());
}

TEST_CASE("each secret has its grant, and lets no host in that is none") {
  Door door(
      {.credentials = {{"v", {Access::kView, false}}, {"h", {Access::kEdit, true}}, {"a", {Access::kAdmin, false}}}});
  const auto knock = [&](const std::string& secret, PeerRole role) {
    proto::Hello hello = Door::hello("", role);
    hello.set_credentials(secret);
    return door.knock(hello);
  };
  for (const char* secret : {"v", "a"})
    CHECK(door.declined(knock(secret, PeerRole::kRobotClient)) == "7: these credentials let no host in");
  for (const char* secret : {"v", "h", "a"}) CHECK(door.welcome(knock(secret, PeerRole::kControl)).connection() > 0);
  CHECK(door.welcome(knock("h", PeerRole::kRobotClient)).name() == "host0");

  std::string grants;
  for (const auto& [number, member] : door.membership->members())
    grants += std::string(name_of(member->grant.access)) + (member->grant.host ? "+host " : " ");
  CHECK(grants == "view edit+host admin edit+host ");
}

TEST_CASE("every role needs the credentials") {
  for (PeerRole role : {PeerRole::kSensorHost, PeerRole::kViewer, PeerRole::kControl, PeerRole::kForeign}) {
    CHECK(answer_to(kSecret, role) == "welcome host0");
    CHECK(answer_to("open sesamf", role) == kWrong);
  }
}

TEST_CASE("a token is compared whole: a resume and a bulk link with one byte of another are declined") {
  for (bool bulk : {false, true}) {
    for (std::size_t i = 0; i <= 16; ++i) {
      Door door;
      door.knock(Door::hello("host0"));
      const Token token = door.token_of(Owner{1});
      std::string other(token.begin(), token.end());
      if (i < 16) other[i] ^= 1;
      proto::Hello hello = Door::hello("host0");
      if (bulk) hello.mutable_bulk()->set_connection(1), hello.mutable_bulk()->set_token(other);
      else hello.mutable_resume()->set_connection(1), hello.mutable_resume()->set_token(other);
      const LinkId link = door.knock(hello);
      CAPTURE(i);
      CHECK(door.declined(link) == (i < 16 ? "9: unknown connection number or wrong token" : ""));
      CHECK(door.drops(Drop::kBadToken) == (i < 16 ? 1 : 0));
    }
  }
}

TEST_CASE("of one address 16 links may be half open, and of this machine as many as of all") {
  Door door;
  const Endpoint near{0, 0xffff7f000001, 4000}, far{0, 0xffff0a000001, 4000}, other{0, 0xffff0a000002, 4000};
  LinkId link = 0;
  const auto come = [&](Endpoint from, int count) {
    for (int i = 0; i < count; ++i) {
      from.port++;
      door.network.peers[++link] = from;
      door.membership->on_opened(link, at(milliseconds(link)));
    }
  };
  come(near, 100), come(far, 16), come(other, 16);
  CHECK(door.network.closed.empty());
  come(far, 2);
  CHECK(door.network.closed == std::set<LinkId>{101, 102});
  CHECK(door.drops(Drop::kFull) == 2);
}

}  // namespace credentials_test
