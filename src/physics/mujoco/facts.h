// What Convoy has to know of a MuJoCo model besides its document: joints, size, mass, drive.
#pragma once

#include <string>
#include <vector>

#include "convoy/result.h"
#include "world/model_files.h"

namespace convoy::mujoco {

// Compiles the model's files and fills in the rest of it. Errors speak of lines of the document.
Status find_facts(Model& model, const ModelFiles& files, ImportReport& report);

}  // namespace convoy::mujoco
