#include "os/datagram_port.h"

#include <doctest/doctest.h>

#include <poll.h>

#include <map>

#include "os/sockets.h"

namespace datagram_port_test {

using namespace convoy;
using namespace convoy::os;

namespace {

struct Port {
  explicit Port(bool offload) {
    auto pair = open_listening_pair(ipv4(127, 0, 0, 1, 0));
    REQUIRE(pair.has_value());
    at = pair->endpoint;
    port.open(std::move(pair->udp), offload);
  }
  // Reads until `n` have come in all.
  void read(std::size_t n) {
    while (got.size() < n) {
      pollfd p{port.descriptor().get(), POLLIN, 0};
      if (::poll(&p, 1, 5000) != 1) return;
      port.receive(
          [&](const Endpoint& from, ByteView bytes) { got.emplace_back(from, Bytes(bytes.begin(), bytes.end())); });
    }
  }
  DatagramPort port;
  Endpoint at;
  std::vector<std::pair<Endpoint, Bytes>> got;
};

Bytes numbered(std::size_t i, std::size_t size) { return Bytes(size, static_cast<std::uint8_t>(i)); }

}  // namespace

TEST_CASE("datagrams arrive as they were sent, whatever goes out at once and comes in at once") {
  for (const auto& [sending, receiving] :
       {std::pair(true, true), std::pair(true, false), std::pair(false, true), std::pair(false, false)}) {
    Port a(sending), b(receiving), c(receiving);
    std::vector<Bytes> to_b, to_c;
    // Equal ones, shorter and longer ones, other peers in between, and more than fit one write.
    for (std::size_t i = 0; i < 200; ++i) {
      const Bytes bytes = numbered(i, i % 17 == 3 ? 900 : i % 29 == 5 ? 1400 : i % 41 == 7 ? 1 : 1300);
      const bool other = i % 23 == 0;
      (other ? to_c : to_b).push_back(bytes);
      a.port.send(other ? c.at : b.at, bytes);
      if (i % 100 == 99) {
        a.port.flush();
        b.read(to_b.size()), c.read(to_c.size());
      }
    }
    REQUIRE(b.got.size() == to_b.size());
    REQUIRE(c.got.size() == to_c.size());
    for (std::size_t i = 0; i < to_b.size(); ++i) {
      CHECK(b.got[i].first == a.at);
      CHECK(b.got[i].second == to_b[i]);
    }
    for (std::size_t i = 0; i < to_c.size(); ++i) CHECK(c.got[i].second == to_c[i]);
    CHECK(a.port.counters().out == 200);
    CHECK(a.port.counters().unsent == 0);
    CHECK(b.port.counters().in == to_b.size());
    if (!sending) CHECK(a.port.counters().writes == 200);
  }
}

TEST_CASE("many to one peer cost few calls, where the kernel can do that") {
  Port a(true), b(true);
  for (std::size_t i = 0; i < 40; ++i) a.port.send(b.at, numbered(i, 1000));
  a.port.flush();
  b.read(40);
  REQUIRE(b.got.size() == 40);
  MESSAGE("40 datagrams in " << a.port.counters().writes << " writes and " << b.port.counters().reads << " reads");
  CHECK(a.port.counters().writes <= 41);  // 41: the attempt, then one by one
}

TEST_CASE("an empty datagram, one that is too long, and a peer of another family") {
  Port a(true), b(true);
  a.port.send(b.at, {});
  a.port.flush();
  a.port.send(b.at, numbered(1, kMaxDatagram + 1));
  a.port.send(b.at, numbered(2, 10));
  a.port.send(Endpoint{1, 2, 3}, numbered(3, 10));  // IPv6
  a.port.flush();
  b.read(2);
  REQUIRE(b.got.size() == 2);
  CHECK(b.got[0].second.empty());
  CHECK(b.got[1].second == numbered(2, 10));
  CHECK(b.port.counters().too_long == 1);
  CHECK(a.port.counters().unsent == 1);
}

}  // namespace datagram_port_test
