#include "os/loopback.h"

#include <poll.h>
#include <sys/socket.h>

#include <cerrno>

#include "os/address.h"
#include "os/sockets.h"

namespace convoy::os {

namespace {

constexpr char kByte = 42;

// Reads one byte from `fd` when it comes.
Status await_byte(const Descriptor& fd, const char* what) {
  pollfd waiting{fd.get(), POLLIN, 0};
  if (poll(&waiting, 1, static_cast<int>(nanos(kLoopbackPatience) / 1'000'000)) != 1)
    return fail(ErrorCode::kUnavailable, std::string(what) + ": nothing arrived within 2 s");
  char got = 0;
  if (recv(fd.get(), &got, 1, 0) != 1 || got != kByte) return system_failure("receive", what, errno);
  return {};
}

Status try_tcp(const ListeningPair& pair) {
  constexpr const char* kWhat = "TCP over 127.0.0.1";
  Descriptor caller(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const SocketAddress to = to_socket_address(pair.endpoint, AF_INET);
  if (!caller || connect(caller.get(), to.get(), to.size) != 0) return system_failure("connect", kWhat, errno);
  pollfd waiting{pair.tcp.get(), POLLIN, 0};
  poll(&waiting, 1, static_cast<int>(nanos(kLoopbackPatience) / 1'000'000));
  const Descriptor called(accept4(pair.tcp.get(), nullptr, nullptr, SOCK_CLOEXEC));
  if (!called) return system_failure("accept", kWhat, errno);
  if (send(caller.get(), &kByte, 1, MSG_NOSIGNAL) != 1) return system_failure("send", kWhat, errno);
  return await_byte(called, kWhat);
}

Status try_udp(const ListeningPair& pair) {
  constexpr const char* kWhat = "UDP over 127.0.0.1";
  const auto from = open_udp_towards(pair.endpoint);
  if (!from) return tl::unexpected(from.error());
  const SocketAddress to = to_socket_address(pair.endpoint, AF_INET);
  if (sendto(from->get(), &kByte, 1, MSG_NOSIGNAL, to.get(), to.size) != 1) return system_failure("send", kWhat, errno);
  return await_byte(pair.udp, kWhat);
}

}  // namespace

Status try_loopback() {
  const auto pair = open_listening_pair(ipv4(127, 0, 0, 1, 0));
  if (!pair) return tl::unexpected(pair.error());
  if (auto ok = try_tcp(*pair); !ok) return ok;
  return try_udp(*pair);
}

Status try_port(std::uint16_t port) {
  const auto pair = open_listening_pair(ipv4(127, 0, 0, 1, port));
  if (!pair) return tl::unexpected(pair.error());
  return {};
}

}  // namespace convoy::os
