// The round trip of 64 bytes between two processes over TCP on loopback: bare blocking sockets, and NetLoop beside
// them.
//
//   os_pingpong [--busy-poll MICROSECONDS] [--rounds N]
//
// The two are measured in turn, several times, because the machine's speed drifts; the medians are over all turns.
#include <fmt/format.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <functional>
#include <string_view>
#include <vector>

#include "os/address.h"
#include "os/clock.h"
#include "os/loop.h"
#include "os/sockets.h"

using namespace convoy;

namespace {

constexpr std::size_t kMessage = 64;
constexpr int kTurns = 10;

// Runs `work` in a child process that ends with it.
pid_t apart(const std::function<void()>& work) {
  const pid_t pid = ::fork();
  if (pid != 0) return pid;
  work();
  ::_exit(0);
}

int tcp_socket() {
  const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
  if (fd < 0) std::abort();
  return fd;
}

void no_delay(int fd) {
  const int yes = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
}

// Waits in epoll first, if there is one: the least that a loop over many sockets must do.
bool receive_all(int fd, int epoll, std::uint8_t* to) {
  for (std::size_t have = 0; have < kMessage;) {
    epoll_event event{};
    if (epoll >= 0 && ::epoll_wait(epoll, &event, 1, -1) < 0) return false;
    const ssize_t n = ::recv(fd, to + have, kMessage - have, 0);
    if (n <= 0) return false;
    have += static_cast<std::size_t>(n);
  }
  return true;
}

os::Descriptor epoll_on(int fd) {
  os::Descriptor epoll(::epoll_create1(0));
  epoll_event event{};
  event.events = EPOLLIN | EPOLLET;
  ::epoll_ctl(epoll.get(), EPOLL_CTL_ADD, fd, &event);
  return epoll;
}

void bare(int rounds, bool with_epoll, std::vector<Duration>& out) {
  const os::Descriptor listener(tcp_socket());
  const os::SocketAddress any = os::to_socket_address(os::ipv4(127, 0, 0, 1, 0), AF_INET);
  if (::bind(listener.get(), any.get(), any.size) != 0 || ::listen(listener.get(), 1) != 0) std::abort();
  const pid_t server = apart([&] {
    const os::Descriptor peer(::accept(listener.get(), nullptr, nullptr));
    no_delay(peer.get());
    const os::Descriptor epoll = with_epoll ? epoll_on(peer.get()) : os::Descriptor();
    std::uint8_t message[kMessage];
    while (receive_all(peer.get(), epoll.get(), message)) (void)!::send(peer.get(), message, kMessage, MSG_NOSIGNAL);
  });
  {
    const os::Descriptor fd(tcp_socket());
    no_delay(fd.get());
    const os::SocketAddress to = os::to_socket_address(os::local_endpoint_of(listener.get()), AF_INET);
    if (::connect(fd.get(), to.get(), to.size) != 0) std::abort();
    const os::Descriptor epoll = with_epoll ? epoll_on(fd.get()) : os::Descriptor();
    std::uint8_t message[kMessage] = {};
    for (int i = 0; i < rounds; ++i) {
      const Moment begin = os::now();
      if (::send(fd.get(), message, kMessage, MSG_NOSIGNAL) != kMessage || !receive_all(fd.get(), epoll.get(), message))
        std::abort();
      out.push_back(os::now() - begin);
    }
  }
  ::waitpid(server, nullptr, 0);
}

// Sends back what comes; the one that begins counts rounds.
struct Player : Role {
  Network& network;
  std::vector<Duration>* out;  // absent for the server
  int rounds;
  std::size_t have = 0;
  Moment begin{};
  bool done = false;
  std::uint8_t message[kMessage] = {};

  Player(Network& n, std::vector<Duration>* o, int r) : network(n), out(o), rounds(r) {}
  void serve(LinkId link) {
    if (out != nullptr) begin = os::now();
    network.send(link, message);
  }
  void on_opened(LinkId link, Moment) override {
    if (out != nullptr) serve(link);
  }
  void on_bytes(LinkId link, ByteView bytes, Moment now) override {
    have += bytes.size();
    if (have < kMessage) return;
    have = 0;
    if (out != nullptr) {
      out->push_back(now - begin);
      if (--rounds == 0) {
        done = true;
        return;
      }
    }
    serve(link);
  }
  void on_closed(LinkId, Moment) override { done = true; }
  void on_datagram(const Endpoint&, ByteView, Moment) override {}
  void on_time(Moment) override {}
  Moment deadline() const override { return kNever; }
  bool finished() const override { return done; }
};

void with_loop(int rounds, Duration busy_poll, std::vector<Duration>& out) {
  int port_pipe[2];
  if (::pipe(port_pipe) != 0) std::abort();
  const pid_t server = apart([&] {
    auto loop = os::NetLoop::open({.listen = "127.0.0.1:0", .busy_poll = busy_poll});
    if (!loop) std::abort();
    const std::uint16_t port = (*loop)->port();
    (void)!::write(port_pipe[1], &port, sizeof port);
    Player role(**loop, nullptr, 0);
    (void)(*loop)->run(role);
  });
  std::uint16_t port = 0;
  if (::read(port_pipe[0], &port, sizeof port) != sizeof port) std::abort();
  auto loop = os::NetLoop::open({.connect = fmt::format("127.0.0.1:{}", port), .busy_poll = busy_poll});
  if (!loop) std::abort();
  Player role(**loop, &out, rounds);
  (*loop)->connect();
  (void)(*loop)->run(role);
  ::close(port_pipe[0]);
  ::close(port_pipe[1]);
  ::waitpid(server, nullptr, 0);
}

double quantile_us(std::vector<Duration> all, double q) {
  const auto at = all.begin() + static_cast<std::ptrdiff_t>(q * static_cast<double>(all.size() - 1));
  std::nth_element(all.begin(), at, all.end());
  return seconds(*at) * 1e6;
}

}  // namespace

int main(int argc, char** argv) {
  int rounds = 5000, busy_us = 0;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view name = argv[i], value = argv[i + 1];
    int& to = name == "--busy-poll" ? busy_us : rounds;
    std::from_chars(value.data(), value.data() + value.size(), to);
  }
  std::vector<Duration> plain, waiting, looped;
  for (int turn = 0; turn < kTurns; ++turn) {
    bare(rounds, false, plain);
    bare(rounds, true, waiting);
    with_loop(rounds, std::chrono::microseconds(busy_us), looped);
  }
  const double unit = quantile_us(plain, 0.5);
  const auto row = [&](const char* name, const std::vector<Duration>& all) {
    const double median = quantile_us(all, 0.5);
    fmt::print("{:<12} median {:6.2f} us  p90 {:6.2f} us  ratio {:.3f}\n", name, median, quantile_us(all, 0.9),
               median / unit);
  };
  row("bare", plain);
  row("bare, epoll", waiting);
  row("NetLoop", looped);
  return 0;
}
