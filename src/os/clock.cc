#include "os/clock.h"

#include <ctime>

namespace convoy::os {
namespace {

Duration read(clockid_t clock) {
  timespec t{};
  clock_gettime(clock, &t);
  return std::chrono::seconds(t.tv_sec) + Duration(t.tv_nsec);
}

}  // namespace

Moment now() { return Moment(read(CLOCK_MONOTONIC)); }
Duration process_cpu_time() { return read(CLOCK_PROCESS_CPUTIME_ID); }
Duration thread_cpu_time() { return read(CLOCK_THREAD_CPUTIME_ID); }
Duration cpu_time_of(int process) {
  clockid_t clock{};
  timespec t{};
  if (::clock_getcpuclockid(process, &clock) != 0 || ::clock_gettime(clock, &t) != 0) return {};
  return std::chrono::seconds(t.tv_sec) + Duration(t.tv_nsec);
}
double unix_time() { return seconds(read(CLOCK_REALTIME)); }

}  // namespace convoy::os
