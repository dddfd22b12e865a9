#include "control/sessions.h"

#include <doctest/doctest.h>

#include "control/leases.h"

using namespace convoy;
using namespace convoy::control;
using namespace std::chrono_literals;

namespace {

using Ids = std::vector<SessionId>;
using Numbers = std::vector<WorldNumber>;

constexpr Moment kStart{1s};

}  // namespace

TEST_CASE("sessions have names of their own, also behind one that has ended") {
  Sessions dut(0x1f);
  const SessionId first = *dut.open(5s, Level::kFull, kStart);
  CHECK(first == "1f-1");
  CHECK(dut.find(first)->level == Level::kFull);
  dut.close(first);
  CHECK(dut.find(first) == nullptr);
  CHECK_FALSE(dut.hear(first, kStart));
  CHECK(*dut.open(5s, Level::kNone, kStart) == "1f-2");
  CHECK(dut.size() == 1);
}

TEST_CASE("a session is silent once it has sent nothing for longer than its own time") {
  Sessions dut(0);
  const SessionId brief = *dut.open(5s, Level::kNone, kStart);
  const SessionId patient = *dut.open(60s, Level::kNone, kStart);

  CHECK(dut.silent(kStart + 5s).empty());
  CHECK(dut.silent(kStart + 6s) == Ids{brief});
  CHECK(dut.hear(brief, kStart + 4s));
  CHECK(dut.silent(kStart + 9s).empty());
  CHECK(dut.silent(kStart + 61s) == Ids{brief, patient});
}

TEST_CASE("where there are as many sessions as may be one more is refused, and none is thrown out") {
  Sessions dut(0);
  for (std::size_t i = 0; i < kMaxSessions; ++i) {
    CHECK_FALSE(dut.full());
    REQUIRE(dut.open(5s, Level::kNone, kStart));
  }
  const auto refused = dut.open(5s, Level::kNone, kStart);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().reason == Reason::kTooManySessions);
  CHECK(refused.error().message == "1000 sessions are open already");
  CHECK(dut.size() == kMaxSessions);
}

TEST_CASE("one connection leaves sessions to others, and gets new ones for those that it ends") {
  Sessions dut(0);
  std::vector<SessionId> ids;
  for (std::size_t i = 0; i < kMaxSessionsOfOne; ++i) ids.push_back(*dut.open(5s, Level::kNone, kStart, "a"));
  const auto refused = dut.open(5s, Level::kNone, kStart, "a");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message == "100 sessions of this connection are open already");
  CHECK(dut.open(5s, Level::kNone, kStart, "b"));
  dut.close(ids.front());
  CHECK(dut.open(5s, Level::kNone, kStart, "a"));
}

TEST_CASE("a leased robot is one session's, in the order of its asking, until it gives it back") {
  Leases dut;
  const Numbers wanted{WorldNumber(7), WorldNumber(2)};
  dut.take("a", wanted);
  const Numbers more{WorldNumber(2), WorldNumber(5)};
  dut.take("a", more);

  CHECK(dut.of("a") == Numbers{WorldNumber(7), WorldNumber(2), WorldNumber(5)});
  CHECK(dut.all() == Numbers{WorldNumber(2), WorldNumber(5), WorldNumber(7)});
  CHECK(dut.of("b").empty());
  CHECK(dut.leased(WorldNumber(2)));
  CHECK(dut.may_command(WorldNumber(2), "a"));
  CHECK_FALSE(dut.may_command(WorldNumber(2), "b"));
  CHECK_FALSE(dut.may_command(WorldNumber(2), ""));
  CHECK(dut.may_command(WorldNumber(3), ""));
  RobotEntry robot;
  robot.number = WorldNumber(2), robot.name = "arm";
  CHECK(dut.check(robot, "a"));
  CHECK(dut.check(robot, "b").error().reason == Reason::kLeased);
  CHECK(dut.check(robot, "b").error().message == "another session has leased 'arm'");

  CHECK_FALSE(dut.give_back("b", WorldNumber(2)));
  CHECK(dut.give_back("a", WorldNumber(2)));
  CHECK_FALSE(dut.give_back("a", WorldNumber(2)));
  CHECK(dut.may_command(WorldNumber(2), "b"));
  CHECK(dut.of("a") == Numbers{WorldNumber(7), WorldNumber(5)});
  CHECK_FALSE(dut.others_than("a"));
  CHECK(dut.others_than("b"));
  dut.give_back_all("a");
  CHECK(dut.all().empty());
  CHECK(dut.of("a").empty());
}
