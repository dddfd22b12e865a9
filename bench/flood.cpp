// Fire at a server, at the highest rate that one process makes: what tests/e2e/test_flood.py lights.
//
//   bench_flood PORT noise|tokens|links SECONDS     127.0.0.1 only; prints how many datagrams or links it made
//
// noise: random bytes of many sizes. tokens: sound register datagrams with random tokens, for connections that there
// are and that there are not. links: TCP links with half a greeting, 64 at a time, each reset when it is established:
// half-open handshakes as fast as the server takes them.
#include <netinet/in.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

#include "core/bytes.h"
#include "core/hash.h"
#include "core/random.h"

using namespace convoy;

namespace {

constexpr std::size_t kPackets = 512, kAtOnce = 64, kLinks = 64;

double now_s() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

Bytes random_bytes(Random& random, std::size_t n) {
  Bytes bytes(n);
  for (auto& b : bytes) b = static_cast<std::uint8_t>(random.below(256));
  return bytes;
}

std::vector<Bytes> noise(Random& random) {
  constexpr std::size_t kSizes[] = {1, 20, 24, 100, 1400, 1500, 2000};
  std::vector<Bytes> packets;
  for (std::size_t i = 0; i < kPackets; ++i) packets.push_back(random_bytes(random, kSizes[random.below(7)]));
  return packets;
}

// As docs/protocol.md section 5 has them.
std::vector<Bytes> tokens(Random& random) {
  constexpr std::uint32_t kConnections[] = {1, 2, 9999};
  std::vector<Bytes> packets;
  for (std::size_t i = 0; i < kPackets; ++i) {
    Bytes packet;
    Writer w(packet);
    w.u8(23), w.u8(0), w.u16(0);
    w.u32(kConnections[random.below(3)]), w.u32(static_cast<std::uint32_t>(random.below(1u << 31)));
    w.u32(0), w.u32(0);
    w.bytes(random_bytes(random, 16));
    w.u32(static_cast<std::uint32_t>(hash64(packet)));
    packets.push_back(std::move(packet));
  }
  return packets;
}

std::uint64_t fire_datagrams(const sockaddr_in& at, std::vector<Bytes> packets, double until) {
  const int fd = socket(AF_INET, SOCK_DGRAM, 0);
  if (fd < 0 || connect(fd, reinterpret_cast<const sockaddr*>(&at), sizeof at) != 0) return 0;
  std::vector<iovec> parts(packets.size());
  std::vector<mmsghdr> heads(packets.size());
  for (std::size_t i = 0; i < packets.size(); ++i) {
    parts[i] = {packets[i].data(), packets[i].size()};
    heads[i].msg_hdr.msg_iov = &parts[i], heads[i].msg_hdr.msg_iovlen = 1;
  }
  std::uint64_t sent = 0;
  while (now_s() < until)
    for (std::size_t i = 0; i < heads.size(); i += kAtOnce) {
      const int n = sendmmsg(fd, &heads[i], kAtOnce, 0);
      if (n > 0) sent += static_cast<std::uint64_t>(n);
    }
  return sent;
}

std::uint64_t fire_links(const sockaddr_in& at, Random& random, double until) {
  const std::uint8_t head[] = {0xa0, 0x0f, 0, 0, 8, 0, 0, 0, 0, 0,
                               0,    0,    0, 0, 0, 0, 0, 0, 0, 0};  // a Hello of 4,000 bytes
  Bytes greeting(head, head + sizeof head);
  const Bytes half = random_bytes(random, 1000);
  greeting.insert(greeting.end(), half.begin(), half.end());
  std::array<int, kLinks> links{};
  links.fill(-1);
  std::uint64_t made = 0;
  for (std::size_t i = 0; now_s() < until; i = (i + 1) % kLinks) {
    if (links[i] >= 0) {
      const linger reset{1, 0};
      setsockopt(links[i], SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
      close(links[i]);
    }
    // On loopback the handshake is done when connect() returns, unless the server's queue is full: never wait for that.
    links[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    if (links[i] < 0 ||
        (connect(links[i], reinterpret_cast<const sockaddr*>(&at), sizeof at) != 0 && errno != EINPROGRESS))
      continue;
    send(links[i], greeting.data(), greeting.size(), MSG_NOSIGNAL);
    ++made;
  }
  return made;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return std::fprintf(stderr, "bench_flood PORT noise|tokens|links SECONDS\n"), 2;
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  at.sin_port = htons(static_cast<std::uint16_t>(std::atoi(argv[1])));
  const std::string_view kind = argv[2];
  const double until = now_s() + std::atof(argv[3]);
  Random random{3, 0};
  std::uint64_t sent = 0;
  if (kind == "noise") sent = fire_datagrams(at, noise(random), until);
  else if (kind == "tokens") sent = fire_datagrams(at, tokens(random), until);
  else if (kind == "links") sent = fire_links(at, random, until);
  else return std::fprintf(stderr, "no such fire: %s\n", argv[2]), 2;
  std::printf("%llu\n", static_cast<unsigned long long>(sent));
}
