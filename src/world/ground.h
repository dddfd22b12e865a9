// Whether a robot's file gets a ground when it is imported.
#pragma once

#include <cstdint>

namespace convoy {

enum class Ground : std::uint8_t {
  kAuto = 0,   // as the file says; else if it has free bodies, and no plane or height field that is fixed to the world
  kNone = 1,   // it gets none
  kPlane = 2,  // it gets one, if it has no level plane at height 0
};

}  // namespace convoy
