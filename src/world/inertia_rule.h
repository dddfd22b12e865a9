// What becomes of inertias in a robot's file that no body can have.
#pragma once

#include <cstdint>

namespace convoy {

enum class InertiaRule : std::uint8_t {
  kRepair = 0,  // they are replaced, and the import lists what was done
  kRefuse = 1,  // the file is refused
};

}  // namespace convoy
