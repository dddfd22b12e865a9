#include "os/pool_sizes.h"

#include <stdlib.h>
#include <unistd.h>

#include <string>

namespace convoy::os {

bool give_pools_one_thread(char** argv) {
  constexpr const char* kDone = "2";  // as opposed to a user's own value
  const char* strict = getenv(kStrictThreads);
  if (strict && std::string(strict) == kDone) return true;
  // The limit of OpenMP holds for what programs set themselves.
  for (const char* name : {"OMP_NUM_THREADS", "OMP_THREAD_LIMIT", "OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS",
                           "MKL_NUM_THREADS", "BLIS_NUM_THREADS", "OPENCV_FOR_THREADS_NUM"})
    setenv(name, "1", 1);
  setenv(kStrictThreads, kDone, 1);  // rclcpp/src/pools.hpp reads it, for TBB
  execv("/proc/self/exe", argv);
  return false;
}

}  // namespace convoy::os
