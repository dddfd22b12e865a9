// What a host's process says of itself at the end of a run.
#pragma once

#include "os/machine.h"
#include "wire/lockstep.h"

namespace convoy::os {

inline HostReport process_report() {
  HostReport report;
  report.pid = static_cast<std::uint64_t>(process_id());
  report.cpu_ns = static_cast<std::uint64_t>(nanos(process_cpu_time()));
  report.peak_memory = spent().peak_bytes;
  return report;
}

}  // namespace convoy::os
