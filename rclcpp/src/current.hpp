// The simulation that is current on a thread, as those read it who are asked at every lock of the process.
#pragma once

#include "convoy_ros/simulation.hpp"

namespace convoy::ros {

// One instruction: this library is loaded with the program, or takes a word of what is kept for those that are not.
extern __attribute__((tls_model("initial-exec"))) thread_local Simulation* the_current;
inline void set_current(Simulation* simulation) { the_current = simulation; }

}  // namespace convoy::ros
