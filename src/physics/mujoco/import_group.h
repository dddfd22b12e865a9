// Loose objects put together into one document, solved together.
#pragma once

#include "physics/mujoco/import.h"
#include "world/loose_bodies.h"

namespace convoy::mujoco {

// A model of the group's name. Its joints are, for each free body, the seven numbers of its pose ("crate_3:x" ...), then
// those of files have their object's name before them ("gate/hinge").
Result<ImportedModel> import_group(const LooseGroup& group, const ImportOptions& options);

}  // namespace convoy::mujoco
