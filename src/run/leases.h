// What a lease lets through, whatever door it comes by.
#pragma once

#include <string>

#include "convoy/result.h"
#include "world/world.h"

namespace convoy {

// May who goes by that holder's name command it? kLeased: another has it.
Status may_command(const World& world, WorldNumber robot, const std::string& holder);
// The same of everything that is leased.
Status may_command_all(const World& world, const std::string& holder);

}  // namespace convoy
