// The physics engines and the ray caster of this build. Process-wide, as their libraries are.
#pragma once

#include <memory>
#include <string>

#include "convoy/result.h"
#include "core/bytes.h"
#include "physics/factory.h"
#include "sensing/pictures.h"
#include "sensing/rays.h"

namespace convoy::engines {

// "4.0.0"; empty in a build without MuJoCo.
std::string mujoco_version();

// 4000000; 0 in a build without.
int mujoco_version_int();

// Checks and initialises the engine's library; does nothing in a build without one.
Status start();

// Appends results of a fixed scene: they differ between machines on which the engines compute other bits.
void probe(Bytes& out);

std::unique_ptr<PhysicsFactory> physics_factory();

// Null in a build without Embree.
std::unique_ptr<RayCasters> ray_casters();
// Null in a build without the renderer. Draws on a thread of its own, from the first picture on.
std::unique_ptr<PictureMaker> picture_maker();
// "3.13.5"; empty in such a build.
std::string embree_version();
// Appends what rays meet in a fixed scene.
void probe_rays(Bytes& out);

}  // namespace convoy::engines
