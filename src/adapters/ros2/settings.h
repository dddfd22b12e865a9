// What a scenario or a command line says about the door to ROS 2.
#pragma once

#include <string>

#include "adapters/ros2/voice.h"

namespace convoy::ros2 {

// Where a robot's frames are told: on its own tf and tf_static with plain names, as Nav2 has several robots; on the one /tf with
// the robot's name before each frame; or both.
enum class TfMode : std::uint8_t { kNamespaced, kPrefixed, kBoth };

// As what robots are told what is around them.
struct ObstacleTopics {
  bool planning_scene = false, markers = false, points = false;
};

struct Settings {
  std::string ns;  // of the client's own services: "/NetworkPC1"; "/": root, as long as it is the voice
  std::uint32_t number = kFirstClient;          // of the client among the run's: the lowest that lives is the voice
  Duration liveness = std::chrono::seconds(5);  // of silence, and others take this process for lost
  TfMode tf_mode = TfMode::kNamespaced;
  double state_rate = 30;  // Hz of simulated time: odom, tf, joint_states
  // Whose follow_joint_trajectory robots with servos have, below their namespace; empty: none.
  std::string trajectory_controller = "joint_trajectory_controller";
  ObstacleTopics obstacles{};
  std::uint32_t domain = 0;  // of DDS
  bool nodes = true;         // nodes of the run are nodes here
  bool two_x = true;         // simulation_interfaces 2 for who does not say which it has
};

// The place of the client's own names, with its slash: its namespace; empty: it has none but the root, which is the voice's.
inline std::string own_place(const Settings& settings) { return settings.ns == "/" ? "" : settings.ns + "/"; }

}  // namespace convoy::ros2
