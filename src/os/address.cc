#include "os/address.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <netdb.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>

#include "os/descriptor.h"

namespace convoy::os {
namespace {

constexpr std::uint64_t kMapped = 0xffffULL << 32;  // ::ffff:0:0/96, the low word's upper half

// The 16 bytes of an address in network order as two numbers of which the first byte is the highest.
std::uint64_t big_endian(const std::uint8_t* bytes) {
  std::uint64_t v = 0;
  std::memcpy(&v, bytes, 8);
  return __builtin_bswap64(v);
}
void put_big_endian(std::uint64_t v, std::uint8_t* bytes) {
  v = __builtin_bswap64(v);
  std::memcpy(bytes, &v, 8);
}

}  // namespace

Result<HostPort> parse_host_port(std::string_view text) {
  const auto bad = [&](std::string_view why) {
    return fail(ErrorCode::kInvalid, fmt::format("'{}' is not ADDR:PORT ({})", text.substr(0, 200), why));
  };
  HostPort out;
  std::string_view port;
  if (!text.empty() && text.front() == '[') {
    const auto end = text.find(']');
    if (end == std::string_view::npos || end + 1 >= text.size() || text[end + 1] != ':')
      return bad("expected [IPV6]:PORT");
    out.host = text.substr(1, end - 1);
    port = text.substr(end + 2);
  } else {
    const auto colon = text.rfind(':');
    if (colon == std::string_view::npos) return bad("there is no port");
    if (text.find(':') != colon) return bad("write an IPv6 address as [ADDR]:PORT");
    out.host = text.substr(0, colon);
    port = text.substr(colon + 1);
  }
  if (out.host.empty()) return bad("there is no address; 0.0.0.0 means all");
  if (out.host.find('\0') != std::string::npos) return bad("it contains a zero byte");
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), out.port);
  if (error != std::errc() || end != port.data() + port.size()) return bad("a port is a number from 0 to 65535");
  return out;
}

Result<std::vector<Endpoint>> resolve(const HostPort& where) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  const int error = getaddrinfo(where.host.c_str(), nullptr, &hints, &list);
  if (error != 0) {
    return fail(ErrorCode::kNotFound, fmt::format("cannot find the host '{}': {}", where.host,
                                                  error == EAI_SYSTEM ? "system error" : gai_strerror(error)));
  }
  std::vector<Endpoint> found;
  for (const addrinfo* at = list; at != nullptr && found.size() < kMaxCandidates; at = at->ai_next) {
    if (at->ai_family != AF_INET && at->ai_family != AF_INET6) continue;
    SocketAddress address;
    std::memcpy(&address.storage, at->ai_addr, at->ai_addrlen);
    address.size = at->ai_addrlen;
    Endpoint endpoint = from_socket_address(address);
    endpoint.port = where.port;
    if (std::find(found.begin(), found.end(), endpoint) == found.end()) found.push_back(endpoint);
  }
  freeaddrinfo(list);
  if (found.empty()) return fail(ErrorCode::kNotFound, fmt::format("the host '{}' has no IP address", where.host));
  return found;
}

Result<Endpoint> address_of_interface(const std::string& name) {
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) return system_failure("list", "the network interfaces", errno);
  std::optional<Endpoint> found;
  std::string known;
  for (const ifaddrs* at = list; at != nullptr; at = at->ifa_next) {
    const int family = at->ifa_addr != nullptr ? at->ifa_addr->sa_family : AF_UNSPEC;
    if (family != AF_INET && family != AF_INET6) continue;
    if (known.find(at->ifa_name) == known.npos) known += (known.empty() ? "" : ", ") + std::string(at->ifa_name);
    if (at->ifa_name != name) continue;
    SocketAddress address;
    address.size = family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
    std::memcpy(&address.storage, at->ifa_addr, address.size);
    const Endpoint here = from_socket_address(address);
    const bool link_local = here.high >> 54 == 0x3fa;  // fe80::/10, which says nothing without its interface
    if (!link_local && (!found || family == AF_INET)) found = here;
    if (family == AF_INET) break;
  }
  freeifaddrs(list);
  if (found) return *found;
  return fail(ErrorCode::kNotFound,
              fmt::format("no interface '{}' with an address is here; there are: {}", name, known));
}

bool is_ipv4(const Endpoint& e) { return e.high == 0 && (e.low & ~0xffffffffULL) == kMapped; }
bool is_loopback(const Endpoint& e) { return is_ipv4(e) ? (e.low >> 24 & 0xff) == 127 : e.high == 0 && e.low == 1; }
bool is_any(const Endpoint& e) { return is_ipv4(e) ? (e.low & 0xffffffffULL) == 0 : e.high == 0 && e.low == 0; }

Endpoint ipv4(std::uint8_t a, std::uint8_t b, std::uint8_t c, std::uint8_t d, std::uint16_t port) {
  return {0, kMapped | std::uint64_t{a} << 24 | std::uint64_t{b} << 16 | std::uint64_t{c} << 8 | d, port};
}

std::string address_text(const Endpoint& e) {
  if (is_ipv4(e)) {
    return fmt::format("{}.{}.{}.{}", e.low >> 24 & 0xff, e.low >> 16 & 0xff, e.low >> 8 & 0xff, e.low & 0xff);
  }
  std::uint8_t bytes[16];
  put_big_endian(e.high, bytes);
  put_big_endian(e.low, bytes + 8);
  char text[INET6_ADDRSTRLEN] = "";
  inet_ntop(AF_INET6, bytes, text, sizeof text);
  return text;
}

std::string endpoint_text(const Endpoint& e) {
  return is_ipv4(e) ? fmt::format("{}:{}", address_text(e), e.port) : fmt::format("[{}]:{}", address_text(e), e.port);
}

SocketAddress to_socket_address(const Endpoint& e, int family) {
  SocketAddress out;
  if (family == AF_INET) {
    sockaddr_in v4{};
    v4.sin_family = AF_INET;
    v4.sin_port = htons(e.port);
    v4.sin_addr.s_addr = htonl(static_cast<std::uint32_t>(e.low));
    std::memcpy(&out.storage, &v4, sizeof v4);
    out.size = sizeof v4;
  } else {
    sockaddr_in6 v6{};
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(e.port);
    put_big_endian(e.high, v6.sin6_addr.s6_addr);
    put_big_endian(e.low, v6.sin6_addr.s6_addr + 8);
    std::memcpy(&out.storage, &v6, sizeof v6);
    out.size = sizeof v6;
  }
  return out;
}

Endpoint from_socket_address(const SocketAddress& address) {
  if (address.storage.ss_family == AF_INET) {
    sockaddr_in v4;
    std::memcpy(&v4, &address.storage, sizeof v4);
    return {0, kMapped | ntohl(v4.sin_addr.s_addr), ntohs(v4.sin_port)};
  }
  sockaddr_in6 v6;
  std::memcpy(&v6, &address.storage, sizeof v6);
  return {big_endian(v6.sin6_addr.s6_addr), big_endian(v6.sin6_addr.s6_addr + 8), ntohs(v6.sin6_port)};
}

}  // namespace convoy::os
