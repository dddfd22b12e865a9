#include "adapters/ros2/robot_doors.h"

#include <fmt/format.h>

namespace convoy::ros2 {

void RobotDoors::follow() {
  const control::Roster& roster = here_.control.roster();
  if (roster.version() == version_ && waiting_.empty() && !more_) return;
  version_ = roster.version(), more_ = false;
  const auto gone = [&](const auto& one) { return roster.find(one.first) == nullptr; };
  std::erase_if(doors_, gone), std::erase_if(waiting_, gone);
  open(roster);
  acting_.clear();
  for (const auto& [number, door] : doors_)
    if (door->acts()) acting_.push_back(door.get());
}

void RobotDoors::open(const control::Roster& roster) {
  int opened = 0;
  for (const control::RobotEntry& robot : roster.all()) {
    if (doors_.count(robot.number) > 0) continue;
    more_ = opened == kOpenedAtOnce;
    if (more_) return;  // the next call goes on
    if (!may_come(robot)) continue;
    doors_[robot.number] = std::make_unique<RobotDoor>(here_, robot);
    ++opened;
  }
}

bool RobotDoors::may_come(const control::RobotEntry& robot) {
  const World& world = here_.fleet->world();
  const std::string ns = namespace_of(world.entity(world.slot_of(robot.number)));
  const bool elsewhere = here_.domain.node_elsewhere(ns, kRobotNode, here_.party);
  const auto [at, waits] = waiting_.try_emplace(robot.number, here_.now + 2 * here_.settings.liveness);
  if (elsewhere && here_.now < at->second) return false;
  if (elsewhere)
    here_.log.line(LogLevel::kWarn, fmt::format("ROS 2, robot {}: another client of the run has the node {}/{}, too",
                                                robot.name, ns, kRobotNode));
  waiting_.erase(at);
  return true;
}

RobotDoor* RobotDoors::find(WorldNumber robot) const {
  const auto at = doors_.find(robot);
  return at == doors_.end() ? nullptr : at->second.get();
}

}  // namespace convoy::ros2
