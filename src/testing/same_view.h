// Compares a host's world in free mode with the server's, while the run is paused and nothing is on its way.
#pragma once

#include <string>

#include "replication/live_host.h"
#include "replication/live_server.h"

namespace convoy::testing {

// The first difference, or "". These must be equal: the structure (entities, models, attachments, owners, frozen ones);
// the bytes received of others' entities; the bytes sent of the host's own; and, for an entity without a state since
// its last edit, the edited state. If host and server are at the same boundary, the extrapolated states must be equal
// too.
std::string difference(const LiveServer& server, const LiveHost& host, Owner me);

}  // namespace convoy::testing
