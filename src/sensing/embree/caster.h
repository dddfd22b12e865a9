// A ray caster that searches by Embree 3 and decides in double precision.
//
// Embree's trees hold one box a shape (of a large mesh one a triangle, in a tree of its own), wider than the shape by
// more than single precision is wrong there. What a ray comes near to is then intersected exactly (intersect.h), and
// only that result counts: so the bits are those of testing every shape, whatever Embree's instruction set, version or
// tree. kPrecision says for which distances that holds.
#pragma once

#include <memory>
#include <string>

#include "convoy/result.h"
#include "sensing/rays.h"

namespace convoy {

// kUnsupported: this processor does not have it.
Result<std::unique_ptr<RayCaster>> embree_caster(RayIsa isa = RayIsa::kSse42);
// The largest that this processor has.
RayIsa best_isa();
std::string version_of_embree();  // "3.13.5"
// Makes these.
std::unique_ptr<RayCasters> embree_casters();

}  // namespace convoy
