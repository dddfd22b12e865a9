// The kinds of seeds: what runs in the cluster of one, and in which mode.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "physics/factory.h"
#include "testing/chatter.h"
#include "testing/wild_script.h"

namespace convoy::testing {

enum class Kind : std::uint8_t {
  kLockstep,  // kinematic robots
  kFree,      // the same in free mode
  kMujoco,    // robots of MuJoCo among kinematic ones, in lockstep
  kNodes,     // nodes inside robots, in lockstep
};
const char* name_of(Kind kind);
std::optional<Kind> kind_of(const std::string& name);

// Whom scripts of that kind put into their worlds. An error: this build has no MuJoCo, or cannot read its models.
Result<Cast> cast_of(Kind kind);
Result<Cast> mujoco_cast();

}  // namespace convoy::testing
