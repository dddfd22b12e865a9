// URDF, as ROS users write it, turned into MJCF: by MuJoCo's own reader, with what that one leaves out put in before
// and after.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "physics/mujoco/document.h"
#include "world/model_files.h"

namespace convoy::mujoco {

struct UrdfOptions {
  const FileReader& read;
  const std::vector<std::string>& roots;  // in which package:// is searched for, after the folders around the document
};

// What a robot's URDF becomes: an MJCF document whose assets have names of their content.
struct FromUrdf {
  Element mjcf;
  std::map<std::string, Bytes> assets;
};

// `root` is its <robot>. What cannot be taken over is listed in the report, a line for each kind.
Result<FromUrdf> from_urdf(Element root, const UrdfOptions& options, ImportReport& report);

// A mesh that MuJoCo does not read (.dae, text .stl, .gltf, ...) as a binary STL. `suffix` is its format.
Result<Bytes> as_stl(const Bytes& mesh, const std::string& suffix);

}  // namespace convoy::mujoco
