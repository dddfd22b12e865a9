#include "control/commands.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <limits>

#include "control/stage.h"

namespace commands_test {

using namespace convoy;
using namespace convoy::control;

namespace {

using Words = std::vector<std::string>;

// As text: "robot: what".
struct Written {
  std::string operator()(const DriveCommand& d) const { return fmt::format("drive {}", d.twist.v.x); }
  std::string operator()(const SetParameter& p) const {
    return fmt::format("{}={}{}", p.name, p.value, p.source == ControlSource::kAny ? " whoever rules" : "");
  }
  std::string operator()(const SetSensor& s) const { return "sensor " + s.sensor; }
  std::string operator()(const PublishMessage& p) const { return "publish " + p.topic; }
  std::string operator()(const CallService& c) const { return "call " + c.service; }
  std::string operator()(const OutsideTraffic& t) const { return "outside " + t.name; }
  std::string operator()(const SetControls& c) const {
    std::string out = "controls";
    for (const Control& one : c.controls) out += fmt::format(" {}:{}", one.actuator, one.value);
    return out;
  }
};
Words give(Commands& dut, std::size_t room = 100, std::size_t left = 0) {
  std::vector<Input> inputs;
  const std::size_t before = room;
  CHECK(dut.give(room, inputs) == left);
  CHECK(before - room >= inputs.size());
  Words out;
  for (const Input& input : inputs)
    out.push_back(std::to_string(recipient(input).value()) + ": " + std::visit(Written{}, input));
  return out;
}

void set(Commands& dut, WorldNumber robot, std::vector<Control> controls) { dut.set_controls(robot, controls); }

}  // namespace

TEST_CASE("commands are given once, robot by robot, in one order of kinds") {
  Commands dut(ControlSource::kRos2);
  set(dut, WorldNumber(5), {{1, 0.5}});
  set(dut, WorldNumber(2), {{0, 7}});
  dut.drive(WorldNumber(2), Twist{{3, 0, 0}, {}});
  dut.set_actions(WorldNumber(2), 9);
  dut.patch_gains(WorldNumber(2), {{"arm", 4.0, {}, {}}});
  dut.set_source(WorldNumber(2), ControlSource::kZmq);

  CHECK(give(dut) == Words{"2: source=zmq whoever rules", "2: mode=pd", "2: arm.kp=4", "2: actions=9", "2: drive 3",
                           "2: controls 0:7", "5: controls 1:0.5"});
  CHECK(give(dut).empty());
}

TEST_CASE("commands carry the source as which they count") {
  Commands dut(ControlSource::kRos2);
  set(dut, WorldNumber(1), {{0, 1}});
  dut.drive(WorldNumber(1), {});
  std::vector<Input> inputs;
  std::size_t room = 10;
  dut.give(room, inputs);
  CHECK(std::get<DriveCommand>(inputs.at(0)).source == ControlSource::kRos2);
  CHECK(std::get<SetControls>(inputs.at(1)).source == ControlSource::kRos2);
}

TEST_CASE("of one actuator the last value holds, and no number leaves it as it is") {
  Commands dut(ControlSource::kZmq);
  set(dut, WorldNumber(1), {{2, 5}, {0, 1}});
  set(dut, WorldNumber(1), {{0, 3}, {2, std::numeric_limits<double>::quiet_NaN()}});
  CHECK(give(dut) == Words{"1: controls 0:3 2:5"});
  set(dut, WorldNumber(1), {{0, std::numeric_limits<double>::quiet_NaN()}});
  CHECK(give(dut).empty());
}

TEST_CASE("what finds no room is counted and waits") {
  Commands dut(ControlSource::kZmq);
  for (const WorldNumber robot : {WorldNumber(1), WorldNumber(2), WorldNumber(3)}) {
    dut.drive(robot, {});
    set(dut, robot, {{0, 1}});
  }
  CHECK(give(dut, 3, 3) == Words{"1: drive 0", "1: controls 0:1", "2: drive 0"});
  CHECK(give(dut, 0, 3).empty());
  CHECK(give(dut) == Words{"2: controls 0:1", "3: drive 0", "3: controls 0:1"});
}

TEST_CASE("more controls than one input holds go in several") {
  Commands dut(ControlSource::kZmq);
  std::vector<Control> controls;
  for (std::uint32_t i = 0; i < kMaxControls + 1; ++i) controls.push_back({i, 1});
  set(dut, WorldNumber(1), controls);
  std::vector<Input> inputs;
  std::size_t room = 1;
  CHECK(dut.give(room, inputs) == 1);
  room = 1;
  CHECK(dut.give(room, inputs) == 0);
  REQUIRE(inputs.size() == 2);
  CHECK(std::get<SetControls>(inputs[0]).controls.size() == kMaxControls);
  CHECK(std::get<SetControls>(inputs[1]).controls == std::vector<Control>{{kMaxControls, 1}});
}

TEST_CASE("patched gains lie over those that wait, and go on where there is room") {
  Commands dut(ControlSource::kZmq);
  dut.patch_gains(WorldNumber(1), {{"left", 5.0, 1.0, {}}});
  dut.patch_gains(WorldNumber(1), {{"left", 7.5, {}, {}}, {"right", {}, {}, 0.0}});
  CHECK(give(dut, 3, 1) == Words{"1: mode=pd", "1: left.kp=7.5", "1: left.kv=1"});
  CHECK(give(dut) == Words{"1: mode=pd", "1: right.torque_limit=0"});
}

TEST_CASE("replaced gains begin with the defaults, and are given whole or not at all") {
  Commands dut(ControlSource::kZmq);
  dut.patch_gains(WorldNumber(1), {{"left", 5.0, {}, {}}});
  dut.replace_gains(WorldNumber(1), {{"right", {}, 2.0, {}}});
  CHECK(give(dut, 4, 1).empty());
  CHECK(give(dut, 5) == Words{"1: mode=pd", "1: gains=default", "1: right.kv=2"});
  dut.replace_gains(WorldNumber(1), {});
  CHECK(give(dut) == Words{"1: mode=pd", "1: gains=default"});
  CHECK(give(dut).empty());
}

TEST_CASE("a world that begins anew forgets what moves robots, but not keys and whose commands count") {
  Commands dut(ControlSource::kZmq);
  set(dut, WorldNumber(1), {{0, 1}});
  dut.drive(WorldNumber(1), {});
  dut.replace_gains(WorldNumber(1), {{"left", 5.0, {}, {}}});
  dut.set_actions(WorldNumber(1), 3);
  dut.set_source(WorldNumber(1), ControlSource::kNodes);
  dut.forget_motion();
  CHECK(give(dut) == Words{"1: source=nodes whoever rules", "1: actions=3"});
}

TEST_CASE("commands of a robot that has left are forgotten") {
  Stage stage;
  Commands dut(ControlSource::kZmq);
  const auto number = [&](const char* name) { return stage.control.roster().find(name)->number; };
  stage.control.follow(*stage.fleet, stage.now);
  dut.follow(stage.control.roster(), stage.control.leases());
  dut.set_actions(number("s0"), 1);
  dut.set_actions(number("burger"), 2);

  stage.edit(Delete{number("s0")});
  stage.control.follow(*stage.fleet, stage.now);
  dut.follow(stage.control.roster(), stage.control.leases());

  CHECK(give(dut) == Words{std::to_string(number("burger").value()) + ": actions=2"});
}

}  // namespace commands_test
