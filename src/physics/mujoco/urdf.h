// URDF, as ROS users write it, turned into MJCF: by MuJoCo's own reader, with what that one leaves out put in before
// and after.
#pragma once

#include <string>
#include <vector>

#include "physics/mujoco/document.h"
#include "physics/mujoco/mesh_files.h"
#include "world/inertia_rule.h"
#include "world/model_files.h"

namespace convoy::mujoco {

struct UrdfOptions {
  const FileReader& read;
  const std::vector<std::string>& roots;  // in which package:// is searched for, after the folders around the document
  InertiaRule inertia = InertiaRule::kRepair;
  bool wheels_given = false;  // the caller names them
};

// `root` is its <robot>. What cannot be taken over is listed in the report, a line for each kind.
Result<Translated> from_urdf(Element root, const UrdfOptions& options, ImportReport& report);

}  // namespace convoy::mujoco
