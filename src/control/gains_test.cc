#include "control/gains.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace gains_test {

using namespace convoy;
using namespace convoy::control;

namespace {

// A hip with two motors, a knee that shares its name with a motor of the ankle, and a tail that nothing drives.
RobotEntry leg() {
  RobotEntry out;
  out.name = "leg";
  const auto actuator = [&](const char* name, const char* joint) {
    Panel::Actuator made;
    made.name = name, made.joint = joint;
    out.panel.actuators.push_back(made);
  };
  actuator("hip_left", "hip"), actuator("hip_right", "hip"), actuator("knee", "ankle"), actuator("bend", "knee");
  actuator("rope", ""), actuator("leg_lift", "lift");
  for (const char* joint : {"hip", "ankle", "knee", "tail", "lift"}) out.panel.joints.push_back({joint});
  return out;
}

using Names = std::vector<std::string>;

Names texts(const std::vector<GainPatch>& patches) {
  Names out;
  const auto text = [](const std::optional<double>& gain) { return gain ? fmt::format("{}", *gain) : "-"; };
  for (const GainPatch& p : patches)
    out.push_back(fmt::format("{} {} {} {}", p.actuator, text(p.kp), text(p.kv), text(p.torque_limit)));
  return out;
}

}  // namespace

TEST_CASE("a joint means the actuators that drive it, and an actuator's name wins over a joint's") {
  const RobotEntry robot = leg();
  CHECK(meant_by(robot, "hip_left").actuators == Names{"hip_left"});
  CHECK(meant_by(robot, "hip").actuators == Names{"hip_left", "hip_right"});
  CHECK(meant_by(robot, "ankle").actuators == Names{"knee"});
  CHECK(meant_by(robot, "knee").actuators == Names{"knee"});  // and not "bend", which drives the knee
  CHECK(meant_by(robot, "rope").actuators == Names{"rope"});
  for (const char* none : {"tail", "", "hip_", "leg_", "leg_tail", "arm_hip"})
    CHECK(meant_by(robot, none).actuators.empty());
}

TEST_CASE("either may have the robot's name before it, and the plain name is tried first") {
  const RobotEntry robot = leg();
  CHECK(meant_by(robot, "leg_hip_left").actuators == Names{"hip_left"});
  CHECK(meant_by(robot, "leg_hip").actuators == Names{"hip_left", "hip_right"});
  CHECK(meant_by(robot, "leg_knee").actuators == Names{"knee"});
  CHECK(meant_by(robot, "leg_lift").actuators == Names{"leg_lift"});
  CHECK(meant_by(robot, "leg_leg_lift").actuators == Names{"leg_lift"});
}

TEST_CASE("gains of an actuator lie over those of its joint in whatever order they come, and unknown names are told") {
  const RobotEntry robot = leg();
  const GainPatch joint{"hip", 5.0, 1.0, {}}, one{"hip_right", 7.0, {}, {}}, full{"leg_hip_right", {}, {}, 3.0};
  for (const auto& named : {std::vector{joint, one, full}, std::vector{full, one, joint}}) {
    const Resolved dut = resolve(robot, named);
    CHECK(texts(dut.patches) == Names{"hip_left 5 1 -", "hip_right 7 1 3"});
    CHECK(dut.unknown.empty());
  }
  const Resolved some =
      resolve(robot, std::vector<GainPatch>{{"toe", 1.0, {}, {}}, {"rope", {}, 2.0, {}}, {"tail", {}, {}, {}}});
  CHECK(texts(some.patches) == Names{"rope - 2 -"});
  CHECK(some.unknown == Names{"toe", "tail"});
  CHECK(resolve(robot, {}).patches.empty());
}

}  // namespace gains_test
