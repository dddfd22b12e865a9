// SDF, as Gazebo users write it, turned into MJCF: its static subset, which docs/mujoco.md lists.
//
//   sdf.h         the whole of it: options, what a robot and what a world is
//   sdf_include   <include>
//   sdf_frames    poses, and what they are relative to
//   sdf_scene     the tree of links and joints
//   sdf_bodies    bodies, joints, equalities; sdf_inertia
//   sdf_shapes    geoms, meshes, surfaces
//   sdf_values    numbers, and what is wrong with them
#pragma once

#include <string>
#include <vector>

#include "physics/mujoco/document.h"
#include "physics/mujoco/mesh_files.h"
#include "world/model_files.h"

namespace convoy::mujoco {

enum class SdfUse {
  kRobot,  // its one model, with names as they are written and an actuator for each joint
  kWorld,  // its <world>, or all its models: names begin with the model's, and nothing drives the joints
};

struct SdfOptions {
  const FileReader& read;
  const std::vector<std::string>& roots;  // in which model:// is searched for, after the folders around the document
  SdfUse use = SdfUse::kRobot;
};

// `root` is an <sdf>. What cannot be taken over is listed in the report, a line for each kind.
Result<Translated> from_sdf(Element root, const SdfOptions& options, ImportReport& report);

}  // namespace convoy::mujoco
