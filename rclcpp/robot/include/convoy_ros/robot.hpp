// The nodes of robots in a run: components from shared libraries, and a node for the robot's sensors and actuators.
//
//   RobotNodes nodes({.prefixes = ament_prefixes()});
//   ClientRole role(options, network, executor, {physics, &nodes}, log);
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "agent/software.h"
#include "plugins/library_rule.h"

namespace convoy::ros {

struct RobotNodesOptions {
  std::vector<std::string> prefixes;   // where packages are searched for, first to last
  int log_level = 20;                  // rclcpp::Logger::Level
  std::vector<std::string> arguments;  // ROS arguments for all nodes, without --ros-args
  // Called before each node of an agent's components is made, on the thread that makes it, which may be the node's own.
  std::function<void(const Entity&)> before_node;
  LibraryFolders libraries{};
};

// Makes a robot's software. Its nodes are in the namespace of the robot's name; `/tf` and `/tf_static` are in it too,
// so that each robot has its own. Topics of the robot itself: `odom`, `joint_states`, `tf` and `cmd_vel`.
class RobotNodes final : public SoftwareFactory {
 public:
  explicit RobotNodes(RobotNodesOptions options) : options_(std::move(options)), rule_(options_.libraries) {}
  Result<std::unique_ptr<Software>> make(const SoftwareSpec& spec) override;
  std::vector<CodeFile> code_of(std::span<const ComponentSpec> components, CodeSource source,
                                std::optional<Error>& missing) override;
  // Are the libraries and classes of a scenario there? Before a run, so that nothing begins that cannot.
  Status check(const std::vector<ComponentSpec>& components);

 private:
  RobotNodesOptions options_;
  LibraryRule rule_;
};

// What programs that join a run are made of, besides their own code: the files of Convoy's libraries.
std::vector<std::string> program_libraries();

// The callback or constructor of this process that has been running for half a second or more; empty: none. Any thread.
std::string busy_with();

}  // namespace convoy::ros
