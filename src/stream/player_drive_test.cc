#include "stream/player_drive.h"

#include <doctest/doctest.h>

namespace player_drive_test {

using namespace convoy;
using namespace convoy::stream;
using Command = PlayerDrive::Command;

namespace {

struct Rig {
  PlayerDrive drive;
  Moment now{std::chrono::seconds(100)};

  Rig() { drive.begin("walk", 0.5, 2); }
  bool key(std::uint8_t code, bool down = true) { return drive.take(KeyChange{.code = code, .down = down}, now); }
  std::optional<Command> after(int ms) { return now += std::chrono::milliseconds(ms), drive.due(now); }
};

}  // namespace

TEST_CASE("a robot goes while an arrow is held, ten times a second, and stops once when it is let go") {
  Rig rig;
  CHECK_FALSE(rig.after(0));
  CHECK(rig.key(38));
  CHECK(rig.after(0) == Command{0.5, 0});
  CHECK_FALSE(rig.after(50));
  CHECK(rig.after(50) == Command{0.5, 0});
  CHECK(rig.key(37));
  CHECK(rig.after(100) == Command{0.5, 2});
  CHECK(rig.key(38, false));
  CHECK(rig.key(37, false));
  CHECK(rig.after(100) == Command{0, 0});
  CHECK_FALSE(rig.after(100));
  CHECK(rig.drive.deadline() == kNever);
}

TEST_CASE("who holds a key and is not heard any more stops") {
  Rig rig;
  rig.key(40);
  CHECK(rig.after(0) == Command{-0.5, 0});
  CHECK(rig.after(1900) == Command{-0.5, 0});
  CHECK(rig.after(200) == Command{0, 0});
}

TEST_CASE("when the pointer leaves all is let go, and others hear of it") {
  Rig rig;
  rig.key(38);
  rig.after(0);
  CHECK_FALSE(rig.drive.take(MouseLeft{}, rig.now));
  CHECK(rig.after(100) == Command{0, 0});
}

TEST_CASE("a stick drives by its part, and keys rule over it") {
  Rig rig;
  CHECK(rig.drive.take(GamepadAxis{.axis = 2, .value = -0.5}, rig.now));
  CHECK(rig.after(0) == Command{0.25, 0});
  rig.key(38);
  CHECK(rig.after(100) == Command{0.5, 0});
  CHECK_FALSE(rig.drive.take(GamepadAxis{.axis = 3, .value = 1}, rig.now));
}

TEST_CASE("without a robot, and of other keys, nothing is taken") {
  Rig rig;
  CHECK_FALSE(rig.key('W'));
  rig.drive.begin("", 1, 1);
  CHECK_FALSE(rig.key(38));
  CHECK_FALSE(rig.after(500));
}

}  // namespace player_drive_test
