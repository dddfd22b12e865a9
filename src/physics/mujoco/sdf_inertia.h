// The inertia of a link, as SDF says it and as MuJoCo takes it.
#pragma once

#include <array>

#include "convoy/geometry.h"

namespace convoy::mujoco {

// About the centre of mass: xx yy zz xy xz yz, kg m².
using Inertia = std::array<double, 6>;

// The same inertia in the axes of B, in which its own have that rotation.
Inertia turned(const Inertia& of_own_axes, const Quat& q_BI);

enum class InertiaState {
  kSound,
  kThickened,  // it was that of a point or a line: a millimetre is added to it
  kEvened,     // a moment exceeded the sum of the others, as no body's does: all are their mean, as balanceinertia does
  kNone,       // a moment is below 0: nothing can be made of it
};
InertiaState repair(Inertia& inertia, double mass);

}  // namespace convoy::mujoco
