#include "os/peer_user.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include "os/address.h"
#include "os/sockets.h"

namespace peer_user_test {

using namespace convoy;

namespace {

constexpr std::uint32_t kStranger = 65534;

// A server on a port of its own, and one connection to it.
struct Pair {
  explicit Pair(const Endpoint& where) : listening(std::move(*os::open_listening_pair(where))) {}
  os::Descriptor connect() const {
    os::Descriptor out(::socket(os::family_of(listening.endpoint), SOCK_STREAM | SOCK_CLOEXEC, 0));
    const os::SocketAddress to = os::to_socket_address(listening.endpoint, os::family_of(listening.endpoint));
    return ::connect(out.get(), to.get(), to.size) == 0 ? std::move(out) : os::Descriptor();
  }
  // Of whoever has connected.
  os::Descriptor accept() const {
    const int flags = ::fcntl(listening.tcp.get(), F_GETFL);
    ::fcntl(listening.tcp.get(), F_SETFL, flags & ~O_NONBLOCK);
    return os::Descriptor(::accept4(listening.tcp.get(), nullptr, nullptr, SOCK_CLOEXEC));
  }
  os::ListeningPair listening;
};

Endpoint any_port() { return os::ipv4(127, 0, 0, 1, 0); }

}  // namespace

TEST_CASE("who connects to oneself is of one's own user, over IPv4 and IPv6") {
  for (const Endpoint& where : {any_port(), Endpoint{0, 1, 0}}) {
    const Pair pair(where);
    const os::Descriptor caller = pair.connect();
    REQUIRE(caller);
    const os::Descriptor called = pair.accept();

    CHECK(os::user_of_peer(called.get()) == os::own_user());
    CHECK(os::user_of_peer(caller.get()) == os::own_user());
  }
}

TEST_CASE("a socket that its program has closed is nobody's, though the kernel lists it as root's") {
  const Pair pair(any_port());
  os::Descriptor caller = pair.connect();
  REQUIRE(caller);
  const os::Descriptor called = pair.accept();
  caller.reset();

  CHECK(!os::user_of_peer(called.get()));
  CHECK(!os::user_of_peer(-1));
  CHECK(!os::user_of_peer(pair.listening.tcp.get()));
}

TEST_CASE("a child that has become another user is known by that user (this needs root)" *
          doctest::skip(::geteuid() != 0)) {
  const Pair pair(any_port());
  const pid_t child = ::fork();
  if (child == 0) {
    if (::setgid(kStranger) != 0 || ::setuid(kStranger) != 0) ::_exit(1);
    const os::Descriptor caller = pair.connect();
    while (caller) ::pause();
    ::_exit(1);
  }
  const os::Descriptor called = pair.accept();

  CHECK(os::user_of_peer(called.get()) == kStranger);

  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

TEST_CASE("a line of the kernel's table counts if both ends are right and a program holds the socket") {
  const std::string table =
      "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
      "   0: 0100007F:15B3 00000000:0000 0A 00000000:00000000 00:00000000 00000000     7        0 11 1 0 100\n"
      "   1: 0100007F:15B3 0100007F:C4E2 01 00000000:00000000 00:00000000 00000000     8        0 12 1 0 20\n"
      "   2: 0100007F:C4E2 0100007F:15B3 01 00000000:00000000 00:00000000 00000000  1000        0 13 1 0 20\n"
      "   3: 0100007F:C4E3 0100007F:15B3 06 00000000:00000000 03:00001770 00000000     0        0 0 3 0\n"
      "   4: 0100007F:C4E4 0100007F:15B3 01 00000000:00000000 00:00000000 00000000     0        0 14\n";
  const std::string six =
      "   0: 0000000000000000FFFF00000100007F:C4E5 0000000000000000FFFF00000100007F:15B3 01 00000000:00000000 "
      "00:00000000 00000000  1001        0 15 1 0\n"
      "   1: 00000000000000000000000001000000:C4E2 00000000000000000000000001000000:15B3 01 00000000:00000000 "
      "00:00000000 00000000  1002        0 16 1 0";
  const Endpoint door = os::ipv4(127, 0, 0, 1, 0x15B3);
  const auto from = [&](std::uint16_t port) { return os::SocketEnds{os::ipv4(127, 0, 0, 1, port), door}; };

  CHECK(os::user_in_table(table, from(0xC4E2)) == 1000u);
  CHECK(!os::user_in_table(table, from(0xC4E3)));
  CHECK(os::user_in_table(table, from(0xC4E4)) == 0u);
  CHECK(!os::user_in_table(table, from(0xC4E5)));
  CHECK(os::user_in_table(six, from(0xC4E5)) == 1001u);
  CHECK(os::user_in_table(six, {Endpoint{0, 1, 0xC4E2}, Endpoint{0, 1, 0x15B3}}) == 1002u);
  for (std::size_t cut = 0; cut < table.size(); ++cut) (void)os::user_in_table(table.substr(0, cut), from(0xC4E2));
  CHECK(!os::user_in_table(table.substr(0, table.find("1000")), from(0xC4E2)));
  CHECK(!os::user_in_table("0: x:y 0100007F:15B3 1 2 3 4 5 6 7", from(0xC4E2)));
}

}  // namespace peer_user_test
