// One thread for the pools of computing libraries, which sum up in another order with each number of threads.
#pragma once

namespace convoy::os {

inline constexpr const char* kStrictThreads = "CONVOY_STRICT_THREADS";

// Libraries read it when they are loaded, some of them with this program: begins the program anew with an environment that
// gives the pools of OpenMP, OpenBLAS, MKL, BLIS, OpenCV and TBB one thread each; processes that it starts have it too.
// Returns in a program that was begun so; false: it cannot be begun anew.
bool give_pools_one_thread(char** argv);

}  // namespace convoy::os
