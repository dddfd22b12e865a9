// What moves robots in this process besides the kinematic rules. Process-wide, as the libraries are.
#pragma once

#include <memory>
#include <string>

#include "convoy/result.h"
#include "core/bytes.h"
#include "physics/factory.h"

namespace convoy::engines {

// "4.0.0"; empty in a build without MuJoCo.
std::string mujoco_version();

// 4000000; 0 in a build without.
int mujoco_version_int();

// Is the library there and the right one? In a build without, fine.
Status start();

// Bytes that differ where the engines compute other bits.
void probe(Bytes& out);

std::unique_ptr<PhysicsFactory> physics_factory();

}  // namespace convoy::engines
