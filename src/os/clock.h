// The host's clocks: monotonic time, and processor time used. Any thread.
#pragma once

#include "convoy/time.h"

namespace convoy::os {

Moment now();                       // CLOCK_MONOTONIC
Duration process_cpu_time();        // user and system time of all threads, since the process began
Duration cpu_time_of(int process);  // of another; 0 if there is none
Duration thread_cpu_time();         // of the calling thread
double unix_time();                 // seconds since 1970, for file names and reports only
// ns since any moment, for who measures what something takes.
inline std::uint64_t stopwatch() { return static_cast<std::uint64_t>(nanos(now().time_since_epoch())); }

}  // namespace convoy::os
