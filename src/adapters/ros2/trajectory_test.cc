#include "adapters/ros2/trajectory.h"

#include <doctest/doctest.h>

#include <limits>

#include "physics/slides.h"

namespace trajectory_test {

using namespace convoy;
using namespace convoy::ros2;
using namespace std::chrono_literals;
using Goal = FollowJointTrajectory::Goal;

namespace {

std::vector<ServoJoint> joints() { return servo_joints(*Slides().panel()); }

void add_point(Goal& goal, double at_s, std::vector<double> positions, std::vector<double> velocities = {}) {
  auto& point = goal.trajectory.points.emplace_back();
  point.positions = std::move(positions), point.velocities = std::move(velocities);
  point.time_from_start.sec = static_cast<std::int32_t>(at_s);
  point.time_from_start.nanosec = static_cast<std::uint32_t>(1e9 * (at_s - point.time_from_start.sec));
}

// "b", then "a": to 1 and 0.5 in a second, to 2 and -0.5 in two.
Goal there() {
  Goal out;
  out.trajectory.joint_names = {"b", "a"};
  add_point(out, 1, {1, 0.5}), add_point(out, 2, {2, -0.5});
  return out;
}

// "-1 point 0 has no positions"; "": it is a plan.
std::string wrong_with(const Goal& goal) {
  const auto plan = plan_of(goal, joints());
  return plan ? "" : std::to_string(plan.error().code) + " " + plan.error().text;
}

std::vector<double> at(const Trajectory& path, Duration t, bool velocities = false) {
  std::vector<double> q, v;
  path.sample(t, q, v);
  return velocities ? v : q;
}

using Values = std::vector<double>;

}  // namespace

TEST_CASE("joints that a servo drives are those of a trajectory, within the limits of both") {
  Panel panel = *Slides().panel();
  panel.all_joints[0].low = -0.5, panel.all_joints[0].high = 3, panel.all_joints[0].limited = true;
  const auto all = servo_joints(panel);
  REQUIRE(all.size() == 2);
  CHECK(all[0].name == "a");
  CHECK(all[0].low == -0.5);
  CHECK(all[0].high == 1);
  CHECK(all[1].actuator == 1);
  CHECK(all[1].qpos == 1);
  CHECK(all[1].high == std::numeric_limits<double>::infinity());
  panel.actuators[0].servo = false;
  CHECK(servo_joints(panel).size() == 1);
}

TEST_CASE("a goal is read: joints in its order, times, tolerances by name, a stamp if it has one") {
  Goal goal = there();
  control_msgs::msg::JointTolerance one;
  one.name = "a", one.position = 0.25, one.velocity = -1;
  goal.path_tolerance = {one};
  one.position = 0, one.velocity = 0.5;
  goal.goal_tolerance = {one};
  goal.goal_time_tolerance.sec = 3;

  auto plan = plan_of(goal, joints());
  REQUIRE(plan);
  CHECK(plan->joints[0].actuator == 1);
  CHECK(plan->joints[1].actuator == 0);
  CHECK(plan->points[1].at == 2s);
  CHECK(plan->points[1].positions == Values{2, -0.5});
  CHECK_FALSE(plan->on_path[0].position);
  CHECK(plan->on_path[1].position == 0.25);
  CHECK_FALSE(plan->on_path[1].velocity);
  CHECK_FALSE(plan->at_goal[1].position);
  CHECK(plan->at_goal[1].velocity == 0.5);
  CHECK(plan->goal_time == 3s);
  CHECK_FALSE(plan->begins);
  goal.trajectory.header.stamp.sec = 7;
  CHECK(plan_of(goal, joints())->begins == Instant{} + 7s);
}

TEST_CASE("what is wrong with a goal is said, with the code of the action") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(wrong_with(there()).empty());
  const auto with = [](const auto& change) {
    Goal goal = there();
    change(goal);
    return wrong_with(goal);
  };
  CHECK(with([](Goal& g) { g.trajectory.joint_names.clear(); }) == "-2 it names no joint");
  CHECK(with([](Goal& g) { g.trajectory.joint_names[1] = "elbow"; }) ==
        "-2 there is no joint 'elbow' that is commanded by position");
  CHECK(with([](Goal& g) { g.trajectory.joint_names[1] = "b"; }) == "-2 b is there twice");
  CHECK(with([](Goal& g) { g.trajectory.points.clear(); }) == "-1 it has no points");
  CHECK(with([](Goal& g) { g.trajectory.points[1].positions.clear(); }) == "-1 point 1 has no positions");
  CHECK(with([](Goal& g) { g.trajectory.points[0].velocities = {1}; }) == "-1 point 0 has 1 numbers for 2 joints");
  CHECK(with([&](Goal& g) { g.trajectory.points[0].positions[1] = nan; }) == "-1 point 0 is not finite");
  CHECK(with([&](Goal& g) { g.trajectory.points[0].effort = {1, nan}; }) == "-1 point 0 is not finite");
  CHECK(with([](Goal& g) { g.trajectory.points[1].positions[1] = 1.5; }) ==
        "-1 point 1 has a at 1.5, which goes from -1 to 1");
  CHECK(with([](Goal& g) { g.trajectory.points[1].time_from_start.sec = 1; }) ==
        "-1 the time of point 1 is not behind the one before");
  CHECK(with([](Goal& g) { g.trajectory.points[0].time_from_start.sec = -1; }) ==
        "-1 the time of point 0 is not behind the one before");
  CHECK(with([](Goal& g) { g.goal_tolerance.emplace_back().name = "c"; }) ==
        "-1 a tolerance is of a joint that the trajectory does not name");
  CHECK(with([](Goal& g) { g.multi_dof_trajectory.points.emplace_back(); }) ==
        "-1 it has a trajectory that is none of joints");
  CHECK(with([](Goal& g) {
          for (std::size_t i = 0; i < kMaxTrajectoryPoints; ++i)
            add_point(g, 3 + 1e-3 * static_cast<double>(i), {0, 0});
        }) == "-1 it has more than 100000 points");
}

TEST_CASE("points without velocities are joined by straight lines, and both ends are at rest") {
  const std::vector<TrajectoryPoint> points{{1s, {1, 0.5}, {}}, {2s, {2, -0.5}, {}}};
  const Trajectory path({0s, {0, 0}, {0, 0}}, points);

  CHECK(path.end() == 2s);
  CHECK(at(path, -1s) == Values{0, 0});
  CHECK(at(path, 500ms) == Values{0.5, 0.25});
  CHECK(at(path, 1s) == Values{1, 0.5});
  CHECK(at(path, 1250ms) == Values{1.25, 0.25});
  CHECK(at(path, 1250ms, true) == Values{1, -1});
  CHECK(at(path, 2s) == Values{2, -0.5});
  CHECK(at(path, 9s) == Values{2, -0.5});
  CHECK(at(path, 9s, true) == Values{0, 0});
}

TEST_CASE("points with velocities are joined by the cubic that has both") {
  const std::vector<TrajectoryPoint> points{{2s, {2}, {3}}, {4s, {0}, {}}};
  const Trajectory path({0s, {0}, {1}}, points);

  // With q(0) = 0, q'(0) = 1, q(2) = 2, q'(2) = 3: q = t - t^2 + t^3 / 2.
  CHECK(at(path, 500ms)[0] == doctest::Approx(0.3125));
  CHECK(at(path, 500ms, true)[0] == doctest::Approx(0.375));
  CHECK(at(path, 1s)[0] == doctest::Approx(0.5));
  CHECK(at(path, 1s, true)[0] == doctest::Approx(0.5));
  CHECK(at(path, 0s, true)[0] == doctest::Approx(1));
  CHECK(at(path, 1999999999ns, true)[0] == doctest::Approx(3).epsilon(1e-6));
  CHECK(at(path, 3s) == Values{1});  // one of the two has none
}

TEST_CASE("points that are over when it sets out are passed by, and of old points the last one holds at once") {
  const std::vector<TrajectoryPoint> points{{1s, {1}, {}}, {3s, {3}, {}}};
  const Trajectory late({2s, {0}, {0}}, points), over({5s, {0}, {0}}, points);

  CHECK(at(late, 2500ms) == Values{1.5});
  CHECK(late.end() == 3s);
  CHECK(at(over, 5s) == Values{3});
}

}  // namespace trajectory_test
