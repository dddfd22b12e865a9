// How far and how fast a program with a main() of its own goes that joins nobody.
#pragma once

#include <memory>

#include "convoy_ros/simulation.hpp"

namespace convoy::ros {

// As the environment has it (`convoy node` sets it): CONVOY_DURATION, of simulated time, as 60s, after which ok() turns
// false; CONVOY_SPEED, times real time, or max. Null: neither is set, so that the program ends by itself and waits for
// nobody. What cannot be read ends the process with a line and exit code 2.
std::unique_ptr<Pace> pace_from_environment();
// Once the simulation is there whose pace it is.
void begin_pace(Pace& pace, Simulation& simulation);

}  // namespace convoy::ros
