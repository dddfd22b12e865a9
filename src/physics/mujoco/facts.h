// What Convoy has to know of a MuJoCo model besides its document: joints, size, mass, drive.
#pragma once

#include <map>
#include <string>

#include "convoy/result.h"
#include "physics/mujoco/document.h"
#include "world/model_files.h"

namespace convoy::mujoco {

// Makes `out`, of which the name and the wheels that somebody named are known, from a document and its assets: the
// files, and what their compilation shows. Errors name lines of the user's files, of which `path` is the first.
Status complete(ImportedModel& out, const Text& text, std::map<std::string, Bytes> assets, const std::string& path);

}  // namespace convoy::mujoco
