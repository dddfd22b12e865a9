// A program with a main() of its own as part of a run: how it is asked for, and where the code of it is.
//
//   CONVOY_JOIN=127.0.0.1:7447/robot_a ./navigation --ros-args -p speed:=0.5
//
// What connects to a server is in a library of its own, which is loaded for this alone (rclcpp/join).
#pragma once

#include <string>
#include <vector>

#include "convoy_ros/simulation.hpp"

namespace convoy::ros {

inline constexpr const char* kJoinVariable = "CONVOY_JOIN";       // "HOST:PORT/NAME"
inline constexpr const char* kJoinLibrary = "libconvoy_join.so";  // beside this one
inline constexpr const char* kJoinFunction = "convoy_join";

struct JoinRequest {
  std::string server;                  // "HOST:PORT"
  std::string name;                    // of the agent
  std::vector<std::string> arguments;  // the program's own
};

// Waits until the run has the agent. The simulation is there until the process ends. Null: `error` has the reason.
using JoinFunction = Simulation* (*)(const JoinRequest& request, std::string& error);

// `where` is the variable's value. Ends the process with a line and exit code 2 where that cannot be.
Simulation& join(const std::string& where, std::vector<std::string> arguments);

}  // namespace convoy::ros
