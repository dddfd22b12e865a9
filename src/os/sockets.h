// Sockets bound and ready, with a clear line when they cannot be had.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "convoy/result.h"
#include "convoy/time.h"
#include "core/ports.h"
#include "os/descriptor.h"

namespace convoy::os {

inline constexpr int kAcceptBacklog = 128;  // connections that the kernel keeps for us; more are retried by the peer
inline constexpr int kPortTries = 64;       // free ports tried until one is free for TCP and UDP

// A TCP listener and a UDP socket on one port.
struct ListeningPair {
  Descriptor tcp, udp;
  Endpoint endpoint;  // with the port chosen
};
// `before(port)`, if there is one, is called when the port is ours and nobody can connect yet; its failure is returned.
Result<ListeningPair> open_listening_pair(const Endpoint& where,
                                          const std::function<Status(std::uint16_t)>& before = {});

// A TCP listener alone.
Result<Descriptor> open_listener(const Endpoint& where);

// From where a peer is called; nothing: as the kernel chooses. The port is left to it either way.
using CallFrom = std::optional<Endpoint>;

// A UDP socket from which the peer can be reached: bound to `from`, else to loopback for a peer there, else to all
// addresses.
Result<Descriptor> open_udp_towards(const Endpoint& peer, const CallFrom& from = {});

// A TCP socket, not connected yet, that will come from there. An invalid one, with errno: it cannot be had.
Descriptor open_tcp_from(const CallFrom& from, int family);

// Could a TCP listener be bound there just now? Nobody can connect meanwhile: what only tries must not answer anyone.
Status try_tcp_port(const Endpoint& where);

// Does somebody listen there (TCP)? Waits at most so long, and leaves again without a word.
bool somebody_listens(const Endpoint& where, Duration wait);

Endpoint local_endpoint_of(int fd);
// How a failed connect or a broken link reads: "nobody listens at 127.0.0.1:7447 (Connection refused)".
std::string link_trouble(const Endpoint& peer, int error);

}  // namespace convoy::os
