// A peer needs the whole secret: the right length is not enough, and no byte is left out.
#include <doctest/doctest.h>

#include "session/fake_door.h"

using namespace convoy;
using namespace convoy::testing;

namespace {

const std::string kSecret = "open sesame";

// The door's answer to these credentials.
std::string answer_to(const std::string& credentials, PeerRole role = PeerRole::kRobotClient) {
  Door door({.credentials = kSecret});
  proto::Hello hello = Door::hello("host0", role);
  hello.set_credentials(credentials);
  const LinkId link = door.knock(hello);
  return door.membership->members().empty() ? door.declined(link) : "welcome " + door.welcome(link).name();
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
