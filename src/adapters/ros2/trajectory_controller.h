// The action <controller>/follow_joint_trajectory of a robot with joints that are commanded by position, as ros2_control's
// joint_trajectory_controller has it.
//
//   accepted -> waits for its stamp -> follows: each tick commands where the joints are to be at its end -> at rest in the goal
//
// A newer goal that can be followed takes the place of the one before, which is aborted. Canceled, off its path or without the
// robot's lease, the joints are held where they are. Commands go the way of every other command, and time is simulated.
#pragma once

#include "adapters/ros2/actions.h"
#include "adapters/ros2/robot_claim.h"
#include "adapters/ros2/trajectory.h"
#include "control/roster.h"

namespace convoy::ros2 {

class TrajectoryController {
 public:
  // Null: it has no such joints, or the action cannot be made, which is logged. All that is given outlives it.
  static std::unique_ptr<TrajectoryController> make(DoorHere& here, Node& node, const RobotClaim& claim,
                                                    const control::RobotEntry& robot);
  TrajectoryController(const TrajectoryController&) = delete;

  // A step begins; what is commanded acts in it.
  void command();
  // The robot is at this instant.
  void reached(Instant now);
  // Between ticks, also while the run waits: cancels, and a lease that another has taken, are seen.
  void look();
  // The run began anew.
  void restart();

 private:
  using Server = ActionServer<FollowJointTrajectory>;
  struct Following {
    GoalId id{};
    Guid client{};
    JointPlan plan;
    Instant begins{};                // once it is under way
    std::optional<Trajectory> path;  // nothing: it waits
    std::optional<Instant> told;     // of its last feedback
  };
  // Of the joints that are followed, rad or m.
  struct Readings {
    std::vector<double> positions, velocities;
  };

  TrajectoryController(DoorHere& here, const RobotClaim& claim, const control::RobotEntry& robot);
  bool accept(const Guid& client) const;
  void begin(const GoalId& id, const FollowJointTrajectory::Goal& goal, const Guid& client);
  void set_out(Instant now);
  Readings read() const;
  void tell(Instant now);
  std::string beyond(const std::vector<JointSlack>& slack) const;
  void hold();
  void end(std::int8_t status, GoalFailure why);

  DoorHere& here_;
  const RobotClaim& claim_;
  WorldNumber number_;
  std::vector<ServoJoint> joints_;
  std::unique_ptr<Server> server_;
  std::optional<Following> following_;
  Readings desired_, actual_;
};

}  // namespace convoy::ros2
