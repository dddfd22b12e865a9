// The registry of a host's robots, one for all its doors: what they are called, and what there is to read and command.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "agent/fleet.h"
#include "physics/panel.h"
#include "sensing/camera.h"

namespace convoy::control {

// Fixed for a robot's life.
struct RobotEntry {
  WorldNumber number = kNoEntity;
  std::string name, model;
  bool has_drive = false;    // it takes twists
  bool from_engine = false;  // the panel is its engine's; else it is what model and state show
  Panel panel;
  struct Camera {
    std::string name;
    CameraModel model;
  };
  std::vector<Camera> cameras;  // among its sensors
};

class Roster {
 public:
  // The robots are the fleet's agents, which come, go and move between hosts.
  void follow(const Fleet& fleet);
  // Another one whenever some have come or gone.
  std::uint64_t version() const { return version_; }
  const std::vector<RobotEntry>& all() const { return robots_; }  // by world number
  // Null: no agent here is called so.
  const RobotEntry* find(std::string_view name) const;
  const RobotEntry* find(WorldNumber number) const;

 private:
  std::vector<RobotEntry> robots_;
  std::map<std::string, std::size_t, std::less<>> by_name_;
  std::uint64_t version_ = 0;
  std::uint64_t roll_ = 0;  // of the fleet that was followed last
};

}  // namespace convoy::control
