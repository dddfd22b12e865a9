#include "control/roster.h"

#include <doctest/doctest.h>

#include "control/run_status.h"
#include "control/stage.h"

namespace roster_test {

using namespace convoy;
using namespace convoy::control;

TEST_CASE("the roster has the robots of the fleet by name and by number, with what there is of each") {
  Stage stage;
  Roster dut;
  CHECK(dut.find("s0") == nullptr);
  dut.follow(*stage.fleet);

  REQUIRE(dut.all().size() == 3);
  for (const RobotEntry& robot : dut.all()) {
    CHECK(dut.find(robot.number) == &robot);
    CHECK(dut.find(robot.name) == &robot);
  }
  const RobotEntry& slides = *dut.find("s1");
  CHECK(slides.from_engine);
  CHECK_FALSE(slides.has_drive);
  CHECK(slides.panel.actuators.size() == 2);
  const RobotEntry& burger = *dut.find("burger");
  CHECK_FALSE(burger.from_engine);
  CHECK(burger.has_drive);
  CHECK(burger.model == "turtlebot3_burger");
  CHECK(burger.panel.nq == 9);  // a free base and two wheels
  CHECK(burger.panel.nv == 8);
  CHECK(burger.panel.joints.size() == 2);
  CHECK(burger.panel.bases.size() == 1);
  CHECK(burger.panel.step == stage.setup.tick);
  CHECK(dut.find("s9") == nullptr);
}

TEST_CASE("the roster's version changes when robots have come or gone") {
  Stage stage;
  Roster dut;
  dut.follow(*stage.fleet);
  const std::uint64_t before = dut.version();
  stage.tick();
  dut.follow(*stage.fleet);
  CHECK(dut.version() == before);

  stage.edit(Delete{dut.find("s0")->number});
  dut.follow(*stage.fleet);

  CHECK(dut.version() != before);
  CHECK(dut.all().size() == 2);
  CHECK(dut.find("s0") == nullptr);
  CHECK(dut.find("burger")->panel.nq == 9);
}

TEST_CASE("the state of the run is read from the server's text, and nothing from other text") {
  const RunStatus all = read_status(
      R"({"paused":true,"speed":2.5,"hosts":[{"name":"a","doors":"{\"x\":1}"},{"name":"b","doors":""},7]})");
  CHECK(all.paused);
  CHECK(all.speed == 2.5);
  REQUIRE(all.hosts.size() == 2);
  CHECK(all.hosts[0].name == "a");
  CHECK(all.hosts[0].doors == R"({"x":1})");
  CHECK(all.hosts[1].doors.empty());
  for (const char* text : {"", "[]", "{", "{}", R"({"paused":1,"speed":"x","hosts":{}})"}) {
    const RunStatus none = read_status(text);
    CHECK_FALSE(none.paused);
    CHECK(none.speed == 0);
    CHECK(none.hosts.empty());
  }
}

}  // namespace roster_test
