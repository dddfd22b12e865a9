// The nodes of the robots that a client runs, as these come and go.
//
// A robot that another client of the run has had gets its node here once that of the other one has ended, so that its topics
// have one writer at any time: the other client closes it in order, or is given up by DDS as lost. One that does not go is
// waited for twice the limit of liveness, and no longer: two robots may have one namespace.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "adapters/ros2/robot_door.h"

namespace convoy::ros2 {

inline constexpr int kOpenedAtOnce = 4;  // robots in one call: an endpoint takes 0.1 ms and more, a robot has a dozen

class RobotDoors {
 public:
  // Outlives it.
  explicit RobotDoors(DoorHere& here) : here_(here) {}

  // Of the roster's robots those that may be are there. Called while there is a fleet.
  void follow();
  void clear() { waiting_.clear(), acting_.clear(), doors_.clear(); }
  // Null: it is not here, or not yet.
  RobotDoor* find(WorldNumber robot) const;
  const std::map<WorldNumber, std::unique_ptr<RobotDoor>>& all() const { return doors_; }
  // Those that have something to do when a step begins.
  const std::vector<RobotDoor*>& acting() const { return acting_; }

 private:
  bool may_come(const control::RobotEntry& robot);
  void open(const control::Roster& roster);

  DoorHere& here_;
  std::map<WorldNumber, std::unique_ptr<RobotDoor>> doors_;
  std::vector<RobotDoor*> acting_;
  std::map<WorldNumber, Moment> waiting_;  // for the node of another client to end, and until when
  std::uint64_t version_ = 0;              // of the roster
  bool more_ = false;                      // robots that come in the next call
};

}  // namespace convoy::ros2
