// What a scenario or a command line says about the door to ROS 2.
#pragma once

#include <string>
#include <vector>

#include "convoy/time.h"

namespace convoy::ros2 {

// Where a robot's frames are told: on its own tf and tf_static with plain names, as Nav2 has several robots; on the one /tf with
// the robot's name before each frame; or both.
enum class TfMode : std::uint8_t { kNamespaced, kPrefixed, kBoth };

struct Settings {
  std::string ns;    // of the client's own services: "/NetworkPC1"; "/": root
  bool root = true;  // it is the one that speaks for the whole run: /clock and the services at the root
  TfMode tf_mode = TfMode::kNamespaced;
  double state_rate = 30;    // Hz of simulated time: odom, tf, joint_states
  std::uint32_t domain = 0;  // of DDS
  bool nodes = true;         // nodes of the run are nodes here
  bool two_x = true;         // simulation_interfaces 2 for who does not say which it has
};

// Where the names of the client's own are, each with its slash: its namespace, and the root if it speaks for the whole run.
inline std::vector<std::string> places_of(const Settings& settings) {
  std::vector<std::string> out;
  if (settings.ns != "/") out.push_back(settings.ns + "/");
  if (settings.root || out.empty()) out.emplace_back("/");
  return out;
}

}  // namespace convoy::ros2
