// Fills in a Model from a MuJoCo document: joints, size, mass, drive.
#pragma once

#include <map>
#include <string>

#include "convoy/result.h"
#include "physics/mujoco/document.h"
#include "world/ground.h"
#include "world/model_files.h"

namespace convoy::mujoco {

// Completes `out`, which has a name and perhaps wheels, from the document and its assets, by compiling them; adds a
// ground, if it is to have one. Errors name lines of the user's files; `path` is the main one.
Status complete(ImportedModel& out, Element root, Ground ground, std::map<std::string, Bytes> assets,
                const std::string& path);

}  // namespace convoy::mujoco
