// A URDF as MuJoCo itself reads it, written as MJCF.
#pragma once

#include <mujoco/mujoco.h>

#include <map>
#include <memory>
#include <string>

#include "physics/mujoco/document.h"
#include "world/model_files.h"

namespace convoy::mujoco {

struct DeleteModel {
  void operator()(mjModel* model) const;
};

struct Conversion {
  std::string mjcf;
  std::unique_ptr<mjModel, DeleteModel> model;  // the same, compiled
};

// `assets` are its meshes by the names that `root` has for them. What MuJoCo's compiler refuses of a mesh alone is
// mended in both, and listed: meshes without a volume become shells, broken .obj files are converted.
Result<Conversion> convert(Element& root, std::map<std::string, Bytes>& assets, ImportReport& report);

}  // namespace convoy::mujoco
