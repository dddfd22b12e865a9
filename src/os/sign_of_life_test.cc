#include "os/sign_of_life.h"

#include <doctest/doctest.h>
#include <poll.h>
#include <sys/socket.h>

#include <atomic>
#include <string>

#include "os/address.h"
#include "os/sockets.h"

namespace sign_of_life_test {

using namespace convoy;

namespace {

// A server of one link at a time, which waits as long as it takes.
struct Server {
  Server() : pair(std::move(*os::open_listening_pair(os::ipv4(127, 0, 0, 1, 0)))) {}
  os::Descriptor accept() const {
    pollfd one{pair.tcp.get(), POLLIN, 0};
    REQUIRE(::poll(&one, 1, 60'000) == 1);
    return os::Descriptor(::accept(pair.tcp.get(), nullptr, nullptr));
  }
  static std::string read(const os::Descriptor& link, std::size_t bytes) {
    std::string text(bytes, '\0');
    return text.substr(
        0, static_cast<std::size_t>(std::max<ssize_t>(0, ::recv(link.get(), text.data(), bytes, MSG_WAITALL))));
  }
  os::ListeningPair pair;
};

Bytes bytes(std::string_view text) { return {text.begin(), text.end()}; }

}  // namespace

TEST_CASE("signs of life come again and again, on a new link when one breaks, until the server declines") {
  const Server server;
  std::atomic<int> signs{0};
  os::SignOfLife life;
  life.begin({.server = server.pair.endpoint,
              .hello = bytes("hello "),
              .sign = [&] { return ++signs, bytes("sign "); },
              .every = std::chrono::milliseconds(2)});

  for (int link = 0; link < 3; ++link) {
    const os::Descriptor from = server.accept();
    CHECK(Server::read(from, 6 + 3 * 5) == "hello sign sign sign ");
  }
  const os::Descriptor last = server.accept();
  CHECK(Server::read(last, 11) == "hello sign ");
  CHECK(::send(last.get(), "no", 2, 0) == 2);
  while (!Server::read(last, 1).empty()) continue;  // until it closes the link
}

TEST_CASE("signs to a server that is not there end with their owner") {
  Endpoint nobody;
  {
    const Server gone;
    nobody = gone.pair.endpoint;
  }
  os::SignOfLife life;
  life.begin({.server = nobody, .hello = {}, .sign = [] { return Bytes{}; }, .every = std::chrono::hours(1)});
  os::SignOfLife never;
}

}  // namespace sign_of_life_test
