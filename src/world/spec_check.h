// Is what is said of an entity something that can be made?
#pragma once

#include "convoy/result.h"
#include "world/setup.h"

namespace convoy {

inline constexpr double kFarthest = 1e7;  // m from the origin; beyond it doubles lose the micrometre

Status check(const ControllerSpec& controller);
// All but its name, model and pose.
Status check_spec(const EntitySpec& spec);

}  // namespace convoy
