// Reads robots' descriptions for a door to ROS 2, one after the other: in a thread of its own and, as all that strangers send,
// in a process with limits.
#pragma once

#include <optional>

#include "adapters/ros2/robot_importer.h"
#include "apps/models.h"

namespace convoy::apps {

class RobotReader final : public ros2::RobotImporter {
 public:
  // Null: this build reads no robots' files.
  static std::unique_ptr<RobotReader> make();
  ~RobotReader() override { importer_.cancel(); }

  void import(ros2::RobotDescription what, Imported imported) override;
  void proceed() override;

 private:
  struct Reading;
  ModelImporter importer_;
  std::optional<os::HandlerPool> pool_;  // once there is something to read; ends first
};

}  // namespace convoy::apps
