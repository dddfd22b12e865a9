// The goal of a FollowJointTrajectory, read and checked: which joints go through which positions, and how far off they may be.
//
//   auto plan = plan_of(goal, servo_joints(panel));     // or what is wrong with it, as the action's result has it
//   Trajectory path(plan->points, at, now);             // from where the joints are
//   path.sample(time, position, velocity);
//
// Positions are rad or m, velocities per s, in the order of the plan's joints; times are from the goal's beginning on.
#pragma once

#include <control_msgs/action/follow_joint_trajectory.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "convoy/result.h"
#include "convoy/time.h"
#include "physics/panel.h"

namespace convoy::ros2 {

using FollowJointTrajectory = control_msgs::action::FollowJointTrajectory;

inline constexpr std::size_t kMaxTrajectoryPoints = 100'000;  // of one goal

// A joint whose actuator is commanded the position that it is to have.
struct ServoJoint {
  std::string name;
  std::uint32_t actuator = 0;
  std::size_t qpos = 0, qvel = 0;  // of an EngineView
  double low = 0, high = 0;        // infinite where nothing limits it
};
std::vector<ServoJoint> servo_joints(const Panel& panel);

struct TrajectoryPoint {
  Duration at{};
  std::vector<double> positions, velocities;  // of each joint; velocities: or none
};

// How far a joint may be off; nothing: as far as it likes.
struct JointSlack {
  std::optional<double> position, velocity;
};

struct JointPlan {
  std::vector<ServoJoint> joints;
  std::vector<TrajectoryPoint> points;  // at ascending times, one at least
  std::vector<JointSlack> on_path, at_goal;
  Duration goal_time{0};          // that they may take longer to come within `at_goal`; 0: as long as it takes
  std::optional<Instant> begins;  // as the stamp has it, on the clock of nodes; nothing: at once
};

// As the action's result has it.
struct GoalFailure {
  std::int32_t code = FollowJointTrajectory::Result::SUCCESSFUL;
  std::string text;
};

// INVALID_JOINTS: a name is not one of `all`, or is there twice. INVALID_GOAL: there is no point, one has other lengths than the
// names, no positions, what is not finite or a position beyond a limit; times do not ascend; or it has degrees of freedom
// that are none of joints.
tl::expected<JointPlan, GoalFailure> plan_of(const FollowJointTrajectory::Goal& goal, std::span<const ServoJoint> all);

// Between two points that have velocities it is the cubic that has both, else a straight line.
class Trajectory {
 public:
  // From `start`, which has velocities, through the points after it; where there are none, at once at the last one.
  Trajectory(TrajectoryPoint start, std::span<const TrajectoryPoint> points);

  Duration end() const { return points_.back().at; }
  // Before the start and beyond the end: as there, at rest. Both are as long as the plan has joints.
  void sample(Duration at, std::vector<double>& positions, std::vector<double>& velocities) const;

 private:
  std::vector<TrajectoryPoint> points_;
};

}  // namespace convoy::ros2
