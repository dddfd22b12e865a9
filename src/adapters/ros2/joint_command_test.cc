#include "adapters/ros2/joint_command.h"

#include <limits>
#include <std_srvs/srv/trigger.hpp>

#include "adapters/ros2/slides_rig.h"

namespace joint_command_test {

using namespace convoy;
using namespace convoy::ros2;
using sensor_msgs::msg::JointState;
using std_srvs::srv::Trigger;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

struct Bench : SlidesRig {
  using SlidesRig::SlidesRig;

  // The message reaches the robot and acts in a tick.
  void command(const JointState& message) {
    if (!publisher) publisher = *caller->publisher("/alpha/joint_command", ros::TypeSupport::of<JointState>());
    send(*publisher, message);
  }
  void send(Publisher& by, const JointState& message) {
    REQUIRE(until([&] { return by.wanted(); }, 2));
    publish(by, message);
    step(2);
  }

  std::unique_ptr<Publisher> publisher;
};

JointState at(std::vector<std::string> names, std::vector<double> positions) {
  JointState out;
  out.name = std::move(names), out.position = std::move(positions);
  return out;
}

}  // namespace

TEST_CASE("a joint goes where a JointState has it, by its own name or by its actuator's") {
  Bench rig;

  rig.command(at({"b", "a"}, {0.25, -0.5}));
  CHECK(rig.joints() == Joints{-0.5, 0.25});
  rig.command(at({"right"}, {2}));
  CHECK(rig.joints() == Joints{-0.5, 2});
  JointState speeds;
  speeds.name = {"left"}, speeds.velocity = {0.75};
  rig.command(speeds);
  CHECK(rig.joints() == Joints{0.75, 2});
  JointState both = speeds;
  both.position = {0.125}, both.effort = {9};
  rig.command(both);
  CHECK(rig.joints() == Joints{0.125, 2});
}

TEST_CASE("what a joint is commanded is journalled as ROS 2's, once") {
  Bench rig;

  rig.command(at({"a"}, {0.5}));

  std::vector<Input> inputs;
  for (const JournalEntry& entry : rig.rig.memory.journal())
    if (const auto* input = std::get_if<Input>(&entry.what)) inputs.push_back(*input);
  const std::vector<Input> wanted{SetControls{rig.number(), {{0, 0.5}}, ControlSource::kRos2}};
  CHECK(inputs == wanted);
}

TEST_CASE("a name without an actuator is counted and moves nothing, and the others move") {
  Bench rig;

  rig.command(at({"elbow", "a", ""}, {1, 0.5, 1}));

  CHECK(rig.joints() == Joints{0.5, 0});
  CHECK(rig.count("ros2_unknown_joint") == 2);
}

TEST_CASE("a JointState whose arrays do not fit its names, or that is not finite, is counted and moves nothing") {
  Bench rig;
  JointState long_effort = at({"a"}, {0.5});
  long_effort.effort = {1, 2};

  for (const JointState& bad :
       {at({"a", "b"}, {0.5}), at({"a"}, {0.5, 0.5}), at({}, {0.5}), at({"a"}, {}), long_effort})
    rig.command(bad);
  CHECK(rig.count("ros2_wrong_length") == 5);
  rig.command(at({"a", "b"}, {0.5, kNan}));
  rig.command(at({"a"}, {std::numeric_limits<double>::infinity()}));
  CHECK(rig.count("ros2_not_finite") == 2);

  CHECK(rig.joints() == Joints{0, 0});
  CHECK(rig.rig.memory.journal().empty());
}

TEST_CASE("while another participant has claimed the robot, a JointState is counted and moves nothing") {
  Bench rig;
  const auto other = *Domain::open(rig.bus.opener(), {});
  Node node(*other, "/", "other");
  const auto theirs = *node.publisher("/alpha/joint_command", ros::TypeSupport::of<JointState>());
  REQUIRE(rig.call<Trigger>("/alpha/claim_control").success);

  rig.send(*theirs, at({"a"}, {0.5}));
  CHECK(rig.joints() == Joints{0, 0});
  CHECK(rig.count("ros2_leased") == 1);
  rig.command(at({"a"}, {0.25}));
  CHECK(rig.joints() == Joints{0.25, 0});
  REQUIRE(rig.call<Trigger>("/alpha/release_control").success);
  rig.send(*theirs, at({"a"}, {0.5}));
  CHECK(rig.joints() == Joints{0.5, 0});
}

}  // namespace joint_command_test
