#include "os/sockets.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>

#include "os/address.h"

namespace convoy::os {
namespace {

// Room for bursts of datagrams; the kernel cuts it to net.core.rmem_max.
constexpr int kDatagramBuffer = 4 << 20;

Error bind_error(const Endpoint& where, std::string_view kind, int error) {
  const std::string address = address_text(where);
  switch (error) {
    case EADDRINUSE:
      return {ErrorCode::kExists,
              fmt::format("{}port {} on {} is taken; choose another with --listen ADDR:PORT, or 0 for a free one",
                          kind == "UDP" ? "UDP " : "", where.port, address),
              {}};
    case EADDRNOTAVAIL: return {ErrorCode::kInvalid, fmt::format("{} is not an address of this machine", address), {}};
    case EACCES:
      return {ErrorCode::kDenied, fmt::format("port {} needs privileges; choose one above 1023", where.port), {}};
    default: return system_error(fmt::format("listen ({}) on", kind), endpoint_text(where), error);
  }
}

Result<Descriptor> open_bound(const Endpoint& where, int type) {
  const std::string_view kind = type == SOCK_STREAM ? "TCP" : "UDP";
  const int family = family_of(where);
  Descriptor fd(::socket(family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd) return tl::unexpected<Error>(bind_error(where, kind, errno));
  const int yes = 1;
  const int no = 0;
  // TCP only: the port of a server that has just ended may be taken again, while a live listener still holds it.
  if (type == SOCK_STREAM) ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (family == AF_INET6) ::setsockopt(fd.get(), IPPROTO_IPV6, IPV6_V6ONLY, is_any(where) ? &no : &yes, sizeof(int));
  if (type == SOCK_DGRAM) {
    ::setsockopt(fd.get(), SOL_SOCKET, SO_RCVBUF, &kDatagramBuffer, sizeof kDatagramBuffer);
    ::setsockopt(fd.get(), SOL_SOCKET, SO_SNDBUF, &kDatagramBuffer, sizeof kDatagramBuffer);
  }
  const SocketAddress address = to_socket_address(where, family);
  if (::bind(fd.get(), address.get(), address.size) != 0) return tl::unexpected<Error>(bind_error(where, kind, errno));
  return fd;
}

}  // namespace

Result<ListeningPair> open_listening_pair(const Endpoint& where, const std::function<Status(std::uint16_t)>& before) {
  for (int attempt = 1;; ++attempt) {
    Result<Descriptor> tcp = open_bound(where, SOCK_STREAM);
    if (!tcp) return tl::unexpected<Error>(tcp.error());
    Endpoint chosen = where;
    chosen.port = local_endpoint_of(tcp->get()).port;
    Result<Descriptor> udp = open_bound(chosen, SOCK_DGRAM);
    if (udp) {
      if (before)
        if (auto ok = before(chosen.port); !ok) return tl::unexpected<Error>(ok.error());
      if (::listen(tcp->get(), kAcceptBacklog) == 0) return ListeningPair{std::move(*tcp), std::move(*udp), chosen};
      return tl::unexpected<Error>(bind_error(chosen, "TCP", errno));
    }
    const bool again = where.port == 0 && udp.error().code == ErrorCode::kExists && attempt < kPortTries;
    if (!again) return tl::unexpected<Error>(udp.error());
  }
}

Result<Descriptor> open_listener(const Endpoint& where) {
  Result<Descriptor> tcp = open_bound(where, SOCK_STREAM);
  if (tcp && ::listen(tcp->get(), kAcceptBacklog) != 0) return tl::unexpected<Error>(bind_error(where, "TCP", errno));
  return tcp;
}

Status try_tcp_port(const Endpoint& where) {
  const auto fd = open_bound(where, SOCK_STREAM);
  if (!fd) return tl::unexpected<Error>(fd.error());
  return {};
}

Result<Descriptor> open_udp_towards(const Endpoint& peer, const CallFrom& given) {
  Endpoint from{0, 0, 0};
  if (given) from = *given;
  else if (is_loopback(peer)) from = peer;
  else if (is_ipv4(peer)) from = ipv4(0, 0, 0, 0, 0);
  from.port = 0;
  return open_bound(from, SOCK_DGRAM);
}

Descriptor open_tcp_from(const CallFrom& from, int family) {
  Descriptor fd(::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd || !from) return fd;
  const int yes = 1;  // the port is chosen when it connects: one may serve towards several peers
  ::setsockopt(fd.get(), IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &yes, sizeof yes);
  Endpoint where = *from;
  where.port = 0;
  const SocketAddress address = to_socket_address(where, family);
  if (::bind(fd.get(), address.get(), address.size) == 0) return fd;
  const int error = errno;
  fd = Descriptor();
  errno = error;
  return fd;
}

bool somebody_listens(const Endpoint& where, Duration wait) {
  const int family = family_of(where);
  const Descriptor fd = open_tcp_from({}, family);
  const SocketAddress address = to_socket_address(where, family);
  if (!fd) return false;
  if (::connect(fd.get(), address.get(), address.size) == 0) return true;
  pollfd one{fd.get(), POLLOUT, 0};
  const auto ms = static_cast<int>(std::chrono::duration_cast<std::chrono::milliseconds>(wait).count());
  if (errno != EINPROGRESS || ::poll(&one, 1, ms) != 1) return false;
  int error = 0;
  socklen_t size = sizeof error;
  return ::getsockopt(fd.get(), SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == 0;
}

Endpoint local_endpoint_of(int fd) {
  SocketAddress address;
  if (::getsockname(fd, address.get(), &address.size) != 0) return {};
  return from_socket_address(address);
}

std::string link_trouble(const Endpoint& peer, int error) {
  const std::string where = endpoint_text(peer);
  switch (error) {
    case ECONNREFUSED: return fmt::format("nobody listens at {} ({})", where, errno_text(error));
    case ECONNRESET:
    case EPIPE: return fmt::format("{} ended the connection abruptly ({})", where, errno_text(error));
    case EHOSTUNREACH:
    case ENETUNREACH: return fmt::format("there is no way to {} ({})", where, errno_text(error));
    default: return fmt::format("the connection to {} failed: {}", where, errno_text(error));
  }
}

}  // namespace convoy::os
