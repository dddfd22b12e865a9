// What moves robots in this program besides the kinematic rules, and what reads robots from files.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/bytes.h"
#include "physics/factory.h"
#include "scenario/scenario.h"
#include "world/model_files.h"

namespace convoy::apps {

// "4.0.0"; empty in a build without MuJoCo.
std::string mujoco_version();

// Is the library there and the right one? In a build without, fine.
Status start_engines();

// Bytes that differ where the engines compute other bits.
void probe_engines(Bytes& out);

std::unique_ptr<PhysicsFactory> physics_factory();

// The model in a file, MJCF or URDF: `file` as written in a document of `folder`, or found in model_path(). `name` of
// the model may be empty; the wheels as well.
struct ModelRequest {
  std::string file, folder, name;
  std::vector<std::string> left_wheels, right_wheels;
};
Result<ImportedModel> import_robot(const ModelRequest& request);

// The world in an MJCF file, found likewise.
Result<scenario::WorldFile> import_world_file(const ModelRequest& request);

// Folders of robots: CONVOY_MODEL_PATH, and those that come with the build or the installation.
std::vector<std::string> model_path();

}  // namespace convoy::apps
