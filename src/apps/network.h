// Running one role over real sockets in this process, until it has finished or is interrupted.
#pragma once

#include <functional>

#include "apps/arguments.h"
#include "os/loop.h"
#include "os/terminal.h"

namespace convoy::apps {

// Runs the loop; the first Ctrl-C calls `stop` in the loop's thread, the second ends the process. `tick` is called
// about five times a second for progress. Returns whether it was interrupted, or the loop's error.
Result<bool> drive(os::NetLoop& loop, Role& role, const std::function<void()>& stop,
                   const std::function<void(Moment)>& tick = {});

// The host under which this machine reaches a server that listens on HOST:PORT: "all addresses" cannot be dialled.
std::string host_to_dial(const std::string& listen);

// True for 127.0.0.0/8, ::1 and localhost: no peer outside this machine gets in.
bool loopback(const std::string& address);

}  // namespace convoy::apps
