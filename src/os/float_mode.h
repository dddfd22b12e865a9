// How floating point rounds in this thread, and whether it flushes denormal numbers to zero. Users' code can change it
// (fesetround; loading a library that was linked with -ffast-math), and everything after it in the thread would compute
// other bits: which robots those are depends on who runs beside whom.
#pragma once

namespace convoy::os {

// Back to rounding to nearest, with denormals, without traps: what every thread begins with. True: it was otherwise.
bool restore_float_mode();

}  // namespace convoy::os
