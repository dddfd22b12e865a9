// The ground that importing adds to a document: an endless plane at height 0, as if its author had written it there.
#pragma once

#include "physics/mujoco/document.h"
#include "world/ground.h"
#include "world/model_files.h"

typedef struct mjModel_ mjModel;

namespace convoy::mujoco {

// What the document is to have: `asked`, or, if that is kAuto, what it says itself (<text name="convoy_ground"
// data="auto|none|plane"/>). Writes it into the document if it was asked for, so that whoever imports it anew does the
// same.
Result<Ground> wanted_ground(Element& root, Ground asked);
// By what MuJoCo compiled of the document, not by its text. A line of the report says what there is.
bool needs_ground(Ground wanted, const mjModel* m, ImportReport& report);
// It has the document's defaults for geoms, and touches whatever touches anything.
void add_ground(Element& root);

}  // namespace convoy::mujoco
