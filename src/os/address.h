// Host names, ports and endpoints, as text and as the kernel has them.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

#include <string>
#include <string_view>
#include <vector>

#include "convoy/result.h"
#include "core/ports.h"

namespace convoy::os {

// The two halves of "127.0.0.1:7447", "[::1]:7447" or "host.example:7447".
struct HostPort {
  std::string host;
  std::uint16_t port = 0;
  friend bool operator==(const HostPort&, const HostPort&) = default;
};
Result<HostPort> parse_host_port(std::string_view text);

// The addresses of a name, in the system's order of preference, at most kMaxCandidates. Asks the name service, so it
// may take seconds; for listening, an empty host is refused (0.0.0.0 and [::] mean all).
inline constexpr std::size_t kMaxCandidates = 8;
Result<std::vector<Endpoint>> resolve(const HostPort& where);
// Of a network interface of this machine, as "eth0": its IPv4 address if it has one, else one of IPv6 that is not of the
// link alone.
Result<Endpoint> address_of_interface(const std::string& name);

bool is_ipv4(const Endpoint& endpoint);  // v4-mapped
bool is_loopback(const Endpoint& endpoint);
bool is_any(const Endpoint& endpoint);  // 0.0.0.0 or ::
Endpoint ipv4(std::uint8_t a, std::uint8_t b, std::uint8_t c, std::uint8_t d, std::uint16_t port);
std::string address_text(const Endpoint& endpoint);   // "127.0.0.1", "::1"
std::string endpoint_text(const Endpoint& endpoint);  // "127.0.0.1:7447", "[::1]:7447"

// A kernel address with its length.
struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t size = sizeof(sockaddr_storage);
  sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
};
// For a socket of the family AF_INET or AF_INET6 (which takes IPv4 as v4-mapped).
SocketAddress to_socket_address(const Endpoint& endpoint, int family);
inline int family_of(const Endpoint& endpoint) { return is_ipv4(endpoint) ? AF_INET : AF_INET6; }
Endpoint from_socket_address(const SocketAddress& address);

}  // namespace convoy::os
