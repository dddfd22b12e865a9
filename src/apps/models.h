// Robots from files, for the commands that read them.
#pragma once

#include <string>
#include <vector>

#include "convoy/result.h"
#include "scenario/scenario.h"
#include "world/model_files.h"

namespace convoy::apps {

// The model in a file, MJCF or URDF: `file` as written in a document of `folder`, or found in model_path(). `name` of
// the model may be empty; the wheels as well.
struct ModelRequest {
  std::string file, folder, name;
  std::vector<std::string> left_wheels, right_wheels;
};
Result<ImportedModel> import_robot(const ModelRequest& request);

// The world in an MJCF file, found likewise.
Result<scenario::WorldFile> import_world_file(const ModelRequest& request);

// Loose objects put together; their files are found likewise, from the group's folder.
Result<ImportedModel> import_objects(LooseGroup group);

// Folders of robots: CONVOY_MODEL_PATH, and those that come with the build or the installation.
std::vector<std::string> model_path();

}  // namespace convoy::apps
