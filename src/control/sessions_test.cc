#include "control/sessions.h"

#include <doctest/doctest.h>

#include "control/leases.h"

namespace sessions_test {

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

TEST_CASE("a leased robot is one holder's, in the order of its session's asking, as the world has it") {
  Setup setup;
  setup.models = built_in_models();
  for (const char* name : {"a", "b", "c"})
    setup.entities.emplace_back().name = name, setup.entities.back().model = "box";
  World world = *World::make(setup);
  Sessions sessions(1);
  const SessionId a = *sessions.open(5s, Level::kNone, kStart, "", "me"), b = *sessions.open(5s, Level::kNone, kStart),
                  again = *sessions.open(5s, Level::kNone, kStart, "", "me");
  CHECK(sessions.holder(b) == "session:2");
  CHECK(sessions.shared(a));
  CHECK_FALSE(sessions.shared(b));
  Leases dut(sessions);
  const auto take = [&](const Numbers& robots) {
    world.apply(Lease{robots, "me", Lease::Kind::kTake}, instant(0));
    dut.took(a, robots), dut.follow(world);
  };
  take({WorldNumber(3)});
  take({WorldNumber(1), WorldNumber(2)});
  CHECK(dut.of(a) == Numbers{WorldNumber(3), WorldNumber(1), WorldNumber(2)});
  CHECK(dut.not_of(a, dut.of(a)).empty());
  CHECK(dut.of(b).empty());
  CHECK(dut.may_command(WorldNumber(2), a));
  CHECK(dut.may_command(WorldNumber(2), again));  // of the same name
  CHECK_FALSE(dut.may_command(WorldNumber(2), b));
  CHECK_FALSE(dut.may_command(WorldNumber(2), ""));
  RobotEntry robot;
  robot.number = WorldNumber(2), robot.name = "arm";
  CHECK(dut.check(robot, b).error().reason == Reason::kLeased);
  CHECK(dut.check(robot, b).error().message == "'me' has leased 'arm'");
  world.apply(Lease{{WorldNumber(1)}, "admin", Lease::Kind::kBreak}, instant(0));
  dut.follow(world);
  CHECK(dut.may_command(WorldNumber(1), b));
  CHECK(dut.of(a) == Numbers{WorldNumber(3), WorldNumber(2)});
  CHECK_FALSE(dut.others_than(a));
  CHECK(dut.others_than(b));
}

}  // namespace sessions_test
