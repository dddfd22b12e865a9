// The arithmetic of a star: what a server must at least do for the bytes of a lockstep tick. Each of H hosts sends its
// bytes; the server reads them, hashes them once (XXH3), writes them to the other hosts' sockets, and opens the next
// round when all have come. No decoding, no frames, no numbers. The hosts are processes that only read and write.
//
//   bench_star [--hosts H] [--bytes N] [--rounds N]        N: bytes of one host in one round
//
// Prints JSON: CPU time of the server process and wall time for a round, in microseconds.
#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

#include "core/hash.h"

namespace {

constexpr std::size_t kOpen = 128;        // bytes that open a round
constexpr std::size_t kRead = 64 * 1024;  // as NetLoop reads

double now_us() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) * 1e6 + static_cast<double>(t.tv_nsec) * 1e-3;
}

double cpu_us() {
  rusage u{};
  getrusage(RUSAGE_SELF, &u);
  return static_cast<double>(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1e6 +
         static_cast<double>(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

void no_delay(int fd) {
  const int yes = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
}

// One host: waits for a round's opening and the others' bytes of the round before, sends its own.
[[noreturn]] void host(const sockaddr_in& at, std::size_t hosts, std::size_t bytes) {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  if (fd < 0 || connect(fd, reinterpret_cast<const sockaddr*>(&at), sizeof at) != 0) std::abort();
  no_delay(fd);
  std::vector<std::uint8_t> mine(bytes, 7), in(kRead);
  std::size_t wanted = kOpen;
  while (true) {
    while (wanted > 0) {
      const ssize_t n = recv(fd, in.data(), std::min(in.size(), wanted), 0);
      if (n <= 0) _exit(0);
      wanted -= static_cast<std::size_t>(n);
    }
    for (std::size_t sent = 0; sent < bytes;) {
      const ssize_t n = send(fd, mine.data() + sent, bytes - sent, MSG_NOSIGNAL);
      if (n <= 0) _exit(0);
      sent += static_cast<std::size_t>(n);
    }
    wanted = kOpen + (hosts - 1) * bytes;
  }
}

struct Peer {
  int fd = -1;
  std::size_t received = 0;
  std::vector<std::uint8_t> out;
  std::size_t head = 0;
  bool waiting = false;
};

struct Star {
  std::vector<Peer> peers;
  int epoll = epoll_create1(0);

  void watch(std::size_t i, int operation) {
    epoll_event e{};
    e.events = EPOLLIN | (peers[i].waiting ? static_cast<std::uint32_t>(EPOLLOUT) : 0u);
    e.data.u64 = i;
    epoll_ctl(epoll, operation, peers[i].fd, &e);
  }
  void write_some(std::size_t i) {
    Peer& p = peers[i];
    while (p.head < p.out.size()) {
      const ssize_t n = send(p.fd, p.out.data() + p.head, p.out.size() - p.head, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (n <= 0) break;
      p.head += static_cast<std::size_t>(n);
    }
    const bool full = p.head < p.out.size();
    if (!full) p.out.clear(), p.head = 0;
    if (full != p.waiting) p.waiting = full, watch(i, EPOLL_CTL_MOD);
  }
  void send_to(std::size_t i, const std::uint8_t* data, std::size_t size) {
    Peer& p = peers[i];
    std::size_t sent = 0;
    if (p.out.empty()) {
      const ssize_t n = send(p.fd, data, size, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (n > 0) sent = static_cast<std::size_t>(n);
    }
    if (sent == size) return;
    p.out.insert(p.out.end(), data + sent, data + size);
    if (!p.waiting) p.waiting = true, watch(i, EPOLL_CTL_MOD);
  }
};

}  // namespace

int main(int argc, char** argv) {
  std::size_t hosts = 2, bytes = 400'000, rounds = 300;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view name = argv[i];
    (name == "--hosts" ? hosts : name == "--bytes" ? bytes : rounds) = std::strtoull(argv[i + 1], nullptr, 10);
  }
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof at;
  if (listener < 0 || bind(listener, reinterpret_cast<sockaddr*>(&at), sizeof at) != 0 || listen(listener, 64) != 0 ||
      getsockname(listener, reinterpret_cast<sockaddr*>(&at), &size) != 0)
    std::abort();
  for (std::size_t i = 0; i < hosts; ++i)
    if (fork() == 0) host(at, hosts, bytes);
  Star star;
  star.peers.resize(hosts);
  for (std::size_t i = 0; i < hosts; ++i) {
    star.peers[i].fd = accept(listener, nullptr, nullptr);
    no_delay(star.peers[i].fd);
    star.watch(i, EPOLL_CTL_ADD);
  }
  std::vector<std::uint8_t> in(kRead), open(kOpen, 1);
  std::uint64_t hash = 0;
  const std::size_t warm_up = rounds / 10 + 1;
  double begin = 0, cpu_begin = 0;
  for (std::size_t round = 0; round < rounds + warm_up; ++round) {
    if (round == warm_up) begin = now_us(), cpu_begin = cpu_us();
    for (std::size_t i = 0; i < hosts; ++i) star.peers[i].received = 0, star.send_to(i, open.data(), open.size());
    for (std::size_t whole = 0; whole < hosts;) {
      epoll_event events[64];
      const int n = epoll_wait(star.epoll, events, 64, -1);
      for (int k = 0; k < n; ++k) {
        const std::size_t i = events[k].data.u64;
        Peer& p = star.peers[i];
        if (events[k].events & EPOLLOUT) star.write_some(i);
        if (!(events[k].events & EPOLLIN)) continue;
        const ssize_t got = recv(p.fd, in.data(), in.size(), MSG_DONTWAIT);
        if (got <= 0) continue;
        hash = convoy::chain(hash, convoy::hash64({in.data(), static_cast<std::size_t>(got)}));
        for (std::size_t to = 0; to < hosts; ++to)
          if (to != i) star.send_to(to, in.data(), static_cast<std::size_t>(got));
        p.received += static_cast<std::size_t>(got);
        whole += p.received == bytes;
      }
    }
  }
  const double n = static_cast<double>(rounds);
  fmt::print(
      "{{\"hosts\": {}, \"bytes\": {}, \"rounds\": {}, \"server_cpu_us\": {:.2f}, \"wall_us\": {:.2f}, \"hash\": "
      "\"{}\"}}\n",
      hosts, bytes, rounds, (cpu_us() - cpu_begin) / n, (now_us() - begin) / n, convoy::hex16(hash));
  std::fflush(stdout);
  for (Peer& p : star.peers) close(p.fd);
  while (wait(nullptr) > 0) {}
  return 0;
}
