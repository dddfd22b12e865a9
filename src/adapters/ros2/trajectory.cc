#include "adapters/ros2/trajectory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace convoy::ros2 {

namespace {

using Codes = FollowJointTrajectory::Result;
using trajectory_msgs::msg::JointTrajectoryPoint;

constexpr double kNoLimit = std::numeric_limits<double>::infinity();
constexpr std::int64_t kLongest = 1'000'000'000;  // s

tl::unexpected<GoalFailure> invalid(std::string text) {
  return tl::unexpected(GoalFailure{Codes::INVALID_GOAL, std::move(text)});
}

template <class Time>
Duration duration_of(const Time& time) {
  return std::chrono::seconds(time.sec) + Duration(time.nanosec);
}

bool all_finite(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
}

std::string wrong_with(const JointTrajectoryPoint& point, std::span<const ServoJoint> joints) {
  if (point.positions.empty()) return "has no positions";
  for (const auto* array : {&point.positions, &point.velocities, &point.accelerations, &point.effort}) {
    if (!array->empty() && array->size() != joints.size())
      return fmt::format("has {} numbers for {} joints", array->size(), joints.size());
    if (!all_finite(*array)) return "is not finite";
  }
  for (std::size_t i = 0; i < joints.size(); ++i)
    if (point.positions[i] < joints[i].low || point.positions[i] > joints[i].high)
      return fmt::format("has {} at {:g}, which goes from {:g} to {:g}", joints[i].name, point.positions[i],
                         joints[i].low, joints[i].high);
  return "";
}

// As ros2_control reads them: 0 is the default, which is none, and below 0 is none.
std::optional<double> slack_of(double value) { return value > 0 ? std::optional(value) : std::nullopt; }

std::optional<std::vector<JointSlack>> slacks_of(const std::vector<control_msgs::msg::JointTolerance>& tolerances,
                                                 std::span<const ServoJoint> joints) {
  std::vector<JointSlack> out(joints.size());
  for (const auto& one : tolerances) {
    const auto at = std::find_if(joints.begin(), joints.end(), [&](const ServoJoint& j) { return j.name == one.name; });
    if (at == joints.end()) return std::nullopt;
    out[static_cast<std::size_t>(at - joints.begin())] = {slack_of(one.position), slack_of(one.velocity)};
  }
  return out;
}

tl::expected<std::vector<ServoJoint>, GoalFailure> named(const std::vector<std::string>& names,
                                                         std::span<const ServoJoint> all) {
  std::vector<ServoJoint> out;
  const auto fail = [](std::string text) {
    return tl::unexpected(GoalFailure{Codes::INVALID_JOINTS, std::move(text)});
  };
  if (names.empty()) return fail("it names no joint");
  for (const std::string& name : names) {
    const auto same = [&](const ServoJoint& joint) { return joint.name == name; };
    const auto at = std::find_if(all.begin(), all.end(), same);
    if (at == all.end()) return fail(fmt::format("there is no joint '{}' that is commanded by position", name));
    if (std::any_of(out.begin(), out.end(), same)) return fail(fmt::format("{} is there twice", name));
    out.push_back(*at);
  }
  return out;
}

}  // namespace

std::vector<ServoJoint> servo_joints(const Panel& panel) {
  std::vector<ServoJoint> out;
  for (std::uint32_t i = 0; i < panel.actuators.size(); ++i) {
    const Panel::Actuator& actuator = panel.actuators[i];
    const auto joint = std::find_if(panel.all_joints.begin(), panel.all_joints.end(),
                                    [&](const Panel::Joint& j) { return j.name == actuator.joint; });
    if (!actuator.servo || joint == panel.all_joints.end()) continue;
    ServoJoint one{joint->name, i, joint->qpos, joint->qvel, -kNoLimit, kNoLimit};
    if (actuator.limited) one.low = actuator.low, one.high = actuator.high;
    if (joint->limited) one.low = std::max(one.low, joint->low), one.high = std::min(one.high, joint->high);
    out.push_back(std::move(one));
  }
  return out;
}

tl::expected<JointPlan, GoalFailure> plan_of(const FollowJointTrajectory::Goal& goal, std::span<const ServoJoint> all) {
  const auto& asked = goal.trajectory;
  auto joints = named(asked.joint_names, all);
  if (!joints) return tl::unexpected(joints.error());
  JointPlan out;
  out.joints = std::move(*joints);
  if (!goal.multi_dof_trajectory.points.empty()) return invalid("it has a trajectory that is none of joints");
  if (asked.points.empty()) return invalid("it has no points");
  if (asked.points.size() > kMaxTrajectoryPoints)
    return invalid(fmt::format("it has more than {} points", kMaxTrajectoryPoints));
  for (std::size_t i = 0; i < asked.points.size(); ++i) {
    const JointTrajectoryPoint& point = asked.points[i];
    if (const std::string wrong = wrong_with(point, out.joints); !wrong.empty())
      return invalid(fmt::format("point {} {}", i, wrong));
    const Duration at = duration_of(point.time_from_start);
    if (at < Duration(0) || at > std::chrono::seconds(kLongest) || (i > 0 && at <= out.points.back().at))
      return invalid(fmt::format("the time of point {} is not behind the one before", i));
    out.points.push_back({at, point.positions, point.velocities});
  }
  const auto on_path = slacks_of(goal.path_tolerance, out.joints), at_goal = slacks_of(goal.goal_tolerance, out.joints);
  if (!on_path || !at_goal) return invalid("a tolerance is of a joint that the trajectory does not name");
  out.on_path = *on_path, out.at_goal = *at_goal;
  out.goal_time = std::max(Duration(0), duration_of(goal.goal_time_tolerance));
  if (asked.header.stamp != builtin_interfaces::msg::Time()) out.begins = Instant{} + duration_of(asked.header.stamp);
  return out;
}

Trajectory::Trajectory(TrajectoryPoint start, std::span<const TrajectoryPoint> points) {
  const auto later = std::find_if(points.begin(), points.end(), [&](const auto& one) { return one.at > start.at; });
  if (later != points.end()) points_.push_back(std::move(start));
  points_.insert(points_.end(), later == points.end() ? points.end() - 1 : later, points.end());
}

void Trajectory::sample(Duration at, std::vector<double>& positions, std::vector<double>& velocities) const {
  const auto next = std::upper_bound(points_.begin(), points_.end(), at,
                                     [](Duration t, const TrajectoryPoint& point) { return t < point.at; });
  if (next == points_.begin() || next == points_.end()) {
    positions = (next == points_.end() ? points_.back() : points_.front()).positions;
    velocities.assign(positions.size(), 0);
    return;
  }
  const TrajectoryPoint &a = *(next - 1), &b = *next;
  const double h = seconds(b.at - a.at), s = seconds(at - a.at) / h;
  const bool cubic = !a.velocities.empty() && !b.velocities.empty();
  positions.resize(a.positions.size()), velocities.resize(a.positions.size());
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const double way = b.positions[i] - a.positions[i];
    positions[i] = a.positions[i] + s * way, velocities[i] = way / h;
    if (!cubic) continue;
    const double u = a.velocities[i] * h, v = b.velocities[i] * h;  // per length of the segment
    const double c2 = 3 * way - 2 * u - v, c3 = u + v - 2 * way;
    positions[i] = a.positions[i] + s * (u + s * (c2 + s * c3));
    velocities[i] = (u + s * (2 * c2 + s * 3 * c3)) / h;
  }
}

}  // namespace convoy::ros2
