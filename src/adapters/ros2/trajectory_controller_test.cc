#include "adapters/ros2/trajectory_controller.h"

#include <cmath>
#include <set>
#include <std_srvs/srv/trigger.hpp>

#include "adapters/ros2/slides_rig.h"

namespace trajectory_controller_test {

using namespace convoy;
using namespace convoy::ros2;
using namespace convoy::testing;
using Action = FollowJointTrajectory;
using std_srvs::srv::Trigger;

namespace {

constexpr const char* kName = "/alpha/joint_trajectory_controller/follow_joint_trajectory";

// A program of ROS 2 with goals for the arm. Nothing of it waits for the run: the tests step it.
class Client {
 public:
  explicit Client(SlidesRig& rig, std::string name = kName) : rig_(rig), name_(std::move(name) + "/_action/") {}

  // The number of the goal; 0: it was not accepted.
  std::uint8_t send(const Action::Goal& goal) {
    Action::Impl::SendGoalService::Request request;
    request.goal_id.uuid[0] = ++sent_, request.goal = goal;
    return rig_.call<Action::Impl::SendGoalService>(name_ + "send_goal", request).accepted ? sent_ : 0;
  }
  int cancel(std::uint8_t goal) {
    action_msgs::srv::CancelGoal::Request request;
    request.goal_info.goal_id.uuid[0] = goal;
    return rig_.call<action_msgs::srv::CancelGoal>(name_ + "cancel_goal", request).return_code;
  }
  // "4 0 ": status, code and text; empty: it has none yet.
  std::string result(std::uint8_t goal) {
    if (goals_.insert(goal).second) {
      Action::Impl::GetResultService::Request request;
      request.goal_id.uuid[0] = goal;
      rig_.send<Action::Impl::GetResultService>(name_ + "get_result", request, [this, goal](const auto& response) {
        const auto& of = response.result;
        results_[goal] = std::to_string(response.status) + " " + std::to_string(of.error_code) + " " + of.error_string;
      });
    }
    (void)rig_.until([&] { return results_.count(goal) > 0; }, 0.5);
    return results_.count(goal) ? results_[goal] : "";
  }

 private:
  SlidesRig& rig_;
  std::string name_;
  std::uint8_t sent_ = 0;
  std::set<std::uint8_t> goals_;
  std::map<std::uint8_t, std::string> results_;
};

// Through positions of "a" and "b", each so many ticks behind the one before.
Action::Goal through(const std::vector<Joints>& points, int ticks = 10) {
  Action::Goal out;
  out.trajectory.joint_names = {"a", "b"};
  for (const Joints& at : points) {
    auto& point = out.trajectory.points.emplace_back();
    point.positions = {at[0], at[1]};
    point.time_from_start.nanosec = static_cast<std::uint32_t>(out.trajectory.points.size()) * ticks * 20'000'000;
  }
  return out;
}

control_msgs::msg::JointTolerance within(const std::string& joint, double position) {
  control_msgs::msg::JointTolerance out;
  out.name = joint, out.position = position;
  return out;
}

bool are(const Joints& joints, double a, double b) {
  CAPTURE(joints[0]);
  CAPTURE(joints[1]);
  return std::fabs(joints[0] - a) < 1e-9 && std::fabs(joints[1] - b) < 1e-9;
}

Request obeys(const std::string& source) {
  Request r;
  r.mutable_control_source()->add_names("alpha"), r.mutable_control_source()->set_source(source);
  return r;
}

}  // namespace

TEST_CASE(
    "joints follow the points in simulated time, from the tick after the goal on, by inputs that are journalled") {
  SlidesRig rig;
  Client client(rig);
  rig.step(3);

  const auto goal = client.send(through({{0.5, 2}, {-0.5, 2}}));
  REQUIRE(goal);
  (void)rig.until([] { return false; }, 1);  // it may be as late as it likes on the wall
  CHECK(are(rig.joints(), 0, 0));
  rig.step(1);
  CHECK(are(rig.joints(), 0.05, 0.2));
  rig.step(9);
  CHECK(are(rig.joints(), 0.5, 2));
  CHECK(client.result(goal).empty());
  rig.step(5);
  CHECK(are(rig.joints(), 0, 2));
  rig.step(5);
  CHECK(are(rig.joints(), -0.5, 2));
  CHECK(client.result(goal) == "4 0 ");
  rig.step(5);
  CHECK(are(rig.joints(), -0.5, 2));

  REQUIRE(rig.rig.memory.journal().size() == 20);
  const JournalEntry& first = rig.rig.memory.journal()[0];
  CHECK(first.tick == 3);
  const auto& input = std::get<SetControls>(std::get<Input>(first.what));
  CHECK(input.entity == rig.number());
  CHECK(input.source == ControlSource::kRos2);
  CHECK(input.controls.size() == 2);
}

TEST_CASE("feedback says where the joints should be and are, twenty times a second") {
  SlidesRig rig;
  Client client(rig);
  std::vector<Action::Feedback> heard;
  const auto type = ros::TypeSupport::of<Action::Impl::FeedbackMessage>();
  const auto listens =
      *rig.caller->subscription(std::string(kName) + "/_action/feedback", type, {}, [&](const Received& got) {
        heard.push_back(message_in<Action::Impl::FeedbackMessage>(*rig.outside, got.cdr)->feedback);
      });
  REQUIRE(rig.until([&] { return listens->matched() > 0; }, 2));

  REQUIRE(client.send(through({{0.5, 2}})));
  rig.step(10);
  REQUIRE(rig.until([&] { return heard.size() >= 4; }, 2));

  CHECK(heard.size() == 4);  // at 20, 80, 140 and 200 ms
  CHECK(heard[1].joint_names == std::vector<std::string>{"a", "b"});
  CHECK(heard[1].header.stamp.nanosec == 80'000'000);
  CHECK(heard[1].desired.time_from_start.nanosec == 80'000'000);
  CHECK(heard[1].desired.positions[0] == doctest::Approx(0.2));
  CHECK(heard[1].desired.velocities[1] == doctest::Approx(10));
  CHECK(heard[1].actual.positions[0] == doctest::Approx(0.2));
  CHECK(heard[1].error.positions[0] == doctest::Approx(0));
}

TEST_CASE("off its path, or not in its goal in time, a goal is given up, and the joints are held") {
  SlidesRig rig;
  Client client(rig);
  auto goal = through({{0.5, 2}});
  goal.path_tolerance = {within("b", 0.3)};
  auto sent = client.send(goal);
  rig.step(5);
  REQUIRE(rig.rig.error_of(obeys("zmq")).empty());
  rig.step(3);
  CHECK(client.result(sent) == "6 -4 the position of b is 1 and should be 1.4, within 0.3");
  CHECK(are(rig.joints(), 0.25, 1));

  goal.path_tolerance.clear(), goal.goal_tolerance = {within("a", 0.1)};
  goal.goal_time_tolerance.nanosec = 60'000'000;
  sent = client.send(goal);
  rig.step(12);
  CHECK(client.result(sent).empty());
  rig.step(2);
  CHECK(client.result(sent) == "6 -5 the position of a is 0.25 and should be 0.5, within 0.1");

  // In time, and without a limit of time.
  sent = client.send(goal);
  rig.step(11);
  REQUIRE(rig.rig.error_of(obeys("any")).empty());
  rig.step(2);
  CHECK(client.result(sent) == "4 0 ");
  goal.goal_time_tolerance.nanosec = 0, goal.trajectory.points[0].positions = {0, 0};
  REQUIRE(rig.rig.error_of(obeys("zmq")).empty());
  sent = client.send(goal);
  rig.step(40);
  CHECK(client.result(sent).empty());
  REQUIRE(rig.rig.error_of(obeys("any")).empty());
  rig.step(2);
  CHECK(client.result(sent) == "4 0 ");
}

TEST_CASE("a canceled goal ends while the run is paused, too, and its joints stay where they are") {
  SlidesRig rig;
  Client client(rig);
  const auto goal = client.send(through({{0.5, 2}}));
  rig.step(5);

  CHECK(client.cancel(goal) == action_msgs::srv::CancelGoal::Response::ERROR_NONE);
  CHECK(client.result(goal) == "5 0 canceled");
  rig.step(5);
  CHECK(are(rig.joints(), 0.25, 1));
  CHECK(client.cancel(goal) == action_msgs::srv::CancelGoal::Response::ERROR_GOAL_TERMINATED);
}

TEST_CASE("a newer goal takes the place of the one before, unless something is wrong with it") {
  SlidesRig rig;
  Client client(rig);
  const auto first = client.send(through({{0.5, 2}}));
  rig.step(5);

  const auto wrong = client.send(through({{7, 2}}));
  CHECK(client.result(wrong) == "6 -1 point 0 has a at 7, which goes from -1 to 1");
  CHECK(client.result(first).empty());
  auto other = through({{-0.75, 3}});
  other.trajectory.joint_names = {"a", "c"};
  CHECK(client.result(client.send(other)) == "6 -2 there is no joint 'c' that is commanded by position");
  const auto second = client.send(through({{-0.75, 3}}));
  CHECK(client.result(first) == "6 -1 a newer goal has taken its place");
  rig.step(5);
  CHECK(are(rig.joints(), -0.25, 2));
  rig.step(5);
  CHECK(are(rig.joints(), -0.75, 3));
  CHECK(client.result(second) == "4 0 ");
}

TEST_CASE("a stamp is when a goal begins: later, before now, or too long ago") {
  SlidesRig rig;
  Client client(rig);
  rig.step(100);
  auto goal = through({{0.5, 2}});
  goal.trajectory.header.stamp.sec = 2, goal.trajectory.header.stamp.nanosec = 100'000'000;

  auto sent = client.send(goal);
  rig.step(5);
  CHECK(are(rig.joints(), 0, 0));
  rig.step(5);
  CHECK(are(rig.joints(), 0.25, 1));
  rig.step(5);
  CHECK(client.result(sent) == "4 0 ");
  sent = client.send(goal);  // whose last point is now
  rig.step(1);
  CHECK(client.result(sent) == "4 0 ");
  CHECK(client.result(client.send(goal)) == "6 -3 by its stamp it is over already");
  goal = through({{-0.5, 0}});
  goal.trajectory.header.stamp.sec = 2, goal.trajectory.header.stamp.nanosec = 220'000'000;
  sent = client.send(goal);
  rig.step(5);
  CHECK(client.result(sent) == "4 0 ");
  CHECK(are(rig.joints(), -0.5, 0));
}

TEST_CASE(
    "who has not claimed a robot that is claimed has no goal accepted, nor canceled, and loses the one that it has") {
  SlidesRig rig;
  Client client(rig);
  const auto goal = client.send(through({{0.5, 2}}));
  REQUIRE(goal);
  rig.step(5);
  const auto other = *Domain::open(rig.bus.opener(), {});
  Node node(*other, "/", "other");
  const auto claim = *node.client("/alpha/claim_control", ros::ServiceSupport::of<Trigger>());
  bool claimed = false;
  const Trigger::Request request;
  claim->call(*ros::TypeSupport::of<Trigger::Request>().to_cdr(&request), kNever,
              [&](const Result<Bytes>& reply) { claimed = reply.has_value(); });
  REQUIRE(rig.until([&] { return other->spin(rig.rig.net.now()), claimed; }, 5));

  CHECK(client.result(goal) == "6 -1 another has claimed the robot");
  CHECK(client.send(through({{0.5, 2}})) == 0);
  CHECK(rig.count("ros2_leased") == 1);
  rig.step(10);
  CHECK(are(rig.joints(), 0.25, 1));
}

TEST_CASE("a reset of the run ends the goal, and nothing moves after it") {
  SlidesRig rig;
  Client client(rig);
  const auto goal = client.send(through({{0.5, 2}}));
  rig.step(5);

  REQUIRE(rig.rig.error_of(just([](Request& r) { r.mutable_reset(); })).empty());
  CHECK(client.result(goal) == "6 -1 the run began anew");
  rig.step(5);
  CHECK(are(rig.joints(), 0, 0));
}

TEST_CASE("the controller has the name of the settings, and without one there is no action") {
  SlidesRig rig({.ns = "/", .trajectory_controller = "left/arm_controller"}),
      none({.ns = "/", .trajectory_controller = ""});
  Client client(rig, "/alpha/left/arm_controller/follow_joint_trajectory");
  CHECK(client.send(through({{0.5, 2}})));
  const auto absent = *none.caller->client(std::string(kName) + "/_action/send_goal",
                                           ros::ServiceSupport::of<Action::Impl::SendGoalService>());
  (void)none.until([] { return false; }, 1);
  CHECK_FALSE(absent->ready());
}

}  // namespace trajectory_controller_test
