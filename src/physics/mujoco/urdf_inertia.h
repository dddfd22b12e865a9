// The masses and inertias of a URDF's links, made such as bodies can have: exporters write zeros, wrong units and
// tensors of no body.
#pragma once

#include "convoy/result.h"
#include "physics/mujoco/document.h"
#include "world/inertia_rule.h"
#include "world/model_files.h"

namespace convoy::mujoco {

// `root` is the <robot>, with a base joint if it floats. What moves must have a mass: links that are fixed to each
// other share theirs.
//
//   tensor of no body: the largest principal moment stays, the others are raised until they can be
//   tensor with a principal moment of 0 or less: that of a ball of water of the link's mass
//   moving links without any mass: of the density of water in their collision shapes; without shapes 1/10,000 of the
//   robot's mass
//
// What was done is listed in the report. kRefuse: an Error that lists it instead.
Status mend_inertias(Element& root, InertiaRule rule, ImportReport& report);

}  // namespace convoy::mujoco
