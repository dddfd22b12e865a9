// The lease on a robot that a program takes by ROS 2: claim_control and release_control of std_srvs/Trigger, in the robot's
// namespace.
//
// It is a participant's: all nodes of one process may command the robot, and nobody else, by whatever door. It ends by its
// release, when the participant is gone, or when another client runs the robot.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "adapters/ros2/door_here.h"
#include "adapters/ros2/services.h"

namespace convoy::ros2 {

class RobotClaim {
 public:
  // `node` is the robot's, and outlives it as `here` does.
  RobotClaim(DoorHere& here, Node& node, WorldNumber robot, std::string name);
  ~RobotClaim() { end(); }
  RobotClaim(const RobotClaim&) = delete;

  // May what this endpoint has written command the robot? If not it is counted.
  bool may_command(const Guid& sender) const;
  // As whom this endpoint holds the lease; empty: it does not.
  std::string holder_of(const Guid& sender) const;
  // Is the robot free, or the sender's? Counts nothing.
  bool lets(const Guid& sender) const;
  // Ends the claim of one that has gone.
  void keep(Moment now);

 private:
  struct Claim {
    control::SessionId session;
    Guid participant{};
    bool over = false;  // it has been released
  };
  void claim(const ServiceRequest& asked);
  void release(const ServiceRequest& asked);
  void end();

  DoorHere& here_;
  WorldNumber number_;
  std::string name_;
  std::unique_ptr<Service> claims_, releases_;
  std::optional<Claim> claim_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // a request may outlast the robot
};

}  // namespace convoy::ros2
