// Tests of 127.0.0.1 for `convoy doctor`: a byte over TCP, a byte over UDP, and which program has a port.
#pragma once

#include "convoy/result.h"
#include "core/ports.h"

namespace convoy::os {

inline constexpr Duration kLoopbackPatience = std::chrono::seconds(2);

// An Error names what does not work ("UDP over 127.0.0.1: nothing arrived within 2 s").
Status try_loopback();

// Ok if the port is free for TCP and UDP on 127.0.0.1.
Status try_port(std::uint16_t port);

}  // namespace convoy::os
