// What one robot takes from programs of ROS 2, by its node: commands, goals of trajectories, and the claim that says whose
// count.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "adapters/ros2/robot_claim.h"
#include "adapters/ros2/topics.h"
#include "adapters/ros2/trajectory_controller.h"

namespace convoy::ros2 {

class RobotCommands {
 public:
  using Names = std::set<std::string, std::less<>>;
  // `node` is the robot's, and outlives it as `here` does. Adds to `names` the topics, in full. What cannot be made is logged.
  RobotCommands(DoorHere& here, Node& node, const control::RobotEntry& robot, Names& names);

  const RobotClaim& claim() const { return claim_; }
  // Does it follow trajectories, whose goals come without that anybody listens to the robot?
  bool follows() const { return trajectories_ != nullptr; }
  // A step begins, in which what is commanded acts.
  void command();
  // The robot is at this instant of simulated time.
  void reached(Instant now);
  // Between ticks, also while the run waits.
  void keep(Moment now);
  // The run began anew.
  void restart();

 private:
  void open(Node& node, const control::RobotEntry& robot, Names& names);
  void drive(const Guid& sender, const Twist& v_B);
  void move_joints(const Received& sample);

  DoorHere& here_;
  WorldNumber number_;
  RobotClaim claim_;
  std::vector<std::unique_ptr<Subscription>> subscriptions_;
  std::unique_ptr<TrajectoryController> trajectories_;  // null: it has no joints for it
};

}  // namespace convoy::ros2
