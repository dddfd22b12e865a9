// Sockets bound and ready, with a clear line when they cannot be had.
#pragma once

#include <functional>
#include <string>

#include "convoy/result.h"
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

// A UDP socket from which the peer can be reached: bound to loopback for a peer there, to all addresses otherwise.
Result<Descriptor> open_udp_towards(const Endpoint& peer);

// Could a TCP listener be bound there just now? Nobody can connect meanwhile: what only tries must not answer anyone.
Status try_tcp_port(const Endpoint& where);

Endpoint local_endpoint_of(int fd);
// How a failed connect or a broken link reads: "nobody listens at 127.0.0.1:7447 (Connection refused)".
std::string link_trouble(const Endpoint& peer, int error);

}  // namespace convoy::os
