// What is around one robot, told in its namespace to who asks for it: planning_scene of MoveIt, markers and points.
//
// What never moves is one obstacle, kWorldObstacle; each entity within reach is another, but for the robot itself and what it carries.
// Whoever begins to listen is told all, and then what changes. All is told again after kToldAgain, and once more: what is said
// while two participants still find each other may be lost. Nothing is computed that nobody would get.
#pragma once

#include "adapters/ros2/obstacle.h"
#include "adapters/ros2/topics.h"

namespace convoy::ros2 {

struct DoorHere;

inline constexpr double kObstacleReach = 20;                                 // m, between origins
inline constexpr Duration kObstaclePeriod = std::chrono::milliseconds(100);  // of simulated time
inline constexpr Duration kToldAgain = std::chrono::seconds(1);              // of the host's clock
inline constexpr const char* kWorldObstacle = "convoy:world";

class RobotObstacles {
 public:
  // `frame`: of the robot's base if it stands, else empty: that of the map. Null: nothing is to be told.
  static std::unique_ptr<RobotObstacles> make(DoorHere& here, Node& node, WorldNumber robot, std::string frame);
  RobotObstacles(const RobotObstacles&) = delete;

  // The world is at this instant.
  void tell(Instant now, bool rests = false);
  // The same, between ticks: where the world has rested since the last time, each change is told at once.
  void look(Instant now) { tell(now, std::exchange(seen_, now) == now); }
  // The run began anew: all is told again.
  void restart() { next_ = {}, listeners_ = 0; }

 private:
  RobotObstacles(DoorHere& here, WorldNumber robot, std::string frame)
      : here_(here), robot_(robot), frame_(std::move(frame)) {}
  Obstacles around() const;
  bool tells_all();

  DoorHere& here_;
  WorldNumber robot_;
  std::string frame_;
  std::unique_ptr<Publisher> scene_, markers_, points_;  // null: not asked for
  Obstacles told_;
  std::size_t listeners_ = 0;
  int repeats_ = 0;  // that are due, the next of them then
  Moment repeat_at_{};
  Instant next_{}, seen_{};
};

}  // namespace convoy::ros2
