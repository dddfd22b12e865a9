// Where a run in lockstep is: at boundary `tick`, or in the tick that begins there.
#pragma once

#include "convoy/time.h"

namespace convoy {

struct LockstepPlace {
  std::uint32_t run = 0;  // counts resets of the whole world
  Tick tick = 0;
  bool running = false;

  Tick next_tick() const { return tick + (running ? 1 : 0); }
};

}  // namespace convoy
