// What Fast DDS has to say, which would go to stdout, goes to our log.
#pragma once

#include "core/ports.h"

namespace convoy::ros2 {

// Once a process; a later call takes another log, which outlives all participants.
void send_warnings_to(Log& log);

}  // namespace convoy::ros2
