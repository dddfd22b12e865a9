// Does a host of a free run see the world as the server does? Asked while the run is paused and nothing is on its way.
#pragma once

#include <string>

#include "replication/live_host.h"
#include "replication/live_server.h"

namespace convoy::testing {

// The first difference, or "". Structure must be equal word for word: entities, models, attachments, who runs what, who
// is frozen. What the host was told is what the server was told, byte for byte; what is its own has the bytes that the
// server has of it; what nobody has told since its last edit is where the edit left it. Where host and server stand at
// the same boundary, they also see everybody else at the same place, bit for bit.
std::string difference(const LiveServer& server, const LiveHost& host, Owner me);

}  // namespace convoy::testing
