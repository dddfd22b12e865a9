// Libraries that keep pools of threads for computing: OpenMP, TBB, OpenBLAS, OpenCV and their kin.
#pragma once

#include <atomic>
#include <string>

namespace convoy::ros {

class Simulation;

// The name of the library's file in which that address is, without its folder; empty: in none.
std::string file_of(const void* address);
// Code of such a library is there.
bool is_pool(const void* code);
// --strict-threads: pools are to have one thread (src/os/pool_sizes.h has set what they read).
extern const bool pools_have_one_thread;

// OpenMP keeps for each thread of the operating system what omp_set_num_threads() has set, and callbacks of a simulation
// run on any: what its nodes have set in constructors and callbacks holds wherever it runs, and for nobody else there.
void use_pool_size_of(Simulation& simulation);
extern std::atomic<bool> pool_sizes_set;  // by anybody

}  // namespace convoy::ros
