// The pose in which a URDF's robot begins, which no URDF says.
#pragma once

#include <mujoco/mujoco.h>

#include <memory>
#include <vector>

#include "physics/mujoco/document.h"
#include "physics/mujoco/servos.h"
#include "world/model_files.h"

namespace convoy::mujoco {

// How far above the ground a floating base is put at the start, m.
inline constexpr double kClearance = 1e-3;

struct DeleteData {
  void operator()(mjData* data) const;
};
using OwnedData = std::unique_ptr<mjData, DeleteData>;

// Joints begin at 0, or at the limit that is nearest to it; those that mimic another one where that has them. Gives the
// model's data there, with all places computed. Null: out of memory.
OwnedData start_of(const mjModel* m, const std::vector<Mimic>& mimics);

// The lowest point of a solid geom (bounding_box.h) in the world, m.
double lowest_of(const mjModel* m, const mjData* d, int geom);
// Of all of them that are not fixed to the world; infinite if there is none.
double lowest_of_all(const mjModel* m, const mjData* d);

// Raises the base of a robot that floats so that its lowest solid geom is kClearance above 0, in `d` and in the
// document, which gets a keyframe where a joint does not begin at 0; its servos hold that. report.lift says how far.
// The document has its actuators.
void set_start(const mjModel* m, mjData* d, bool floats, Element& mjcf, ImportReport& report);

}  // namespace convoy::mujoco
