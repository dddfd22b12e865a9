// The sources of commands to a robot.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace convoy {

// Where a command comes from, and who may command a robot: kAny (the last command wins), or one source alone.
enum class ControlSource : std::uint8_t {
  kAny = 0,
  kDashboard = 1,  // people: convoy ctl and other callers of the server
  kZmq = 2,        // the streams of docs/zmq.md
  kRos2 = 3,       // ROS 2 programs outside the run
  kNodes = 4,      // what belongs to the robot: its nodes and its driver
};
inline constexpr std::size_t kControlSources = 5;
inline constexpr std::array<std::string_view, kControlSources> kControlSourceNames{"any", "dashboard", "zmq", "ros2",
                                                                                   "nodes"};
// False: a number from a file or a peer that is no source.
inline bool is_control_source(ControlSource s) { return static_cast<std::size_t>(s) < kControlSources; }
inline std::string_view name_of(ControlSource s) {
  return is_control_source(s) ? kControlSourceNames[static_cast<std::size_t>(s)] : "unknown";
}
std::optional<ControlSource> control_source_of(std::string_view name);  // nothing: there is none of that name

}  // namespace convoy
