// The bare round trip that a lockstep tick is measured against: two processes, one TCP connection on loopback, blocking
// sockets, `down` bytes to the client and `up` bytes back.
//
//   bench_round_trip [--rounds N] [--down BYTES] [--up BYTES]
//
// Prints JSON: wall time of a round (mean and median) and the CPU time of both processes for it, in microseconds.
#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

namespace {

double now_us() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) * 1e6 + static_cast<double>(t.tv_nsec) * 1e-3;
}

double cpu_us(int who) {
  rusage u{};
  getrusage(who, &u);
  return static_cast<double>(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1e6 +
         static_cast<double>(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

void no_delay(int fd) {
  const int yes = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
}

bool receive_all(int fd, std::vector<char>& to) {
  for (std::size_t have = 0; have < to.size();) {
    const ssize_t n = recv(fd, to.data() + have, to.size() - have, 0);
    if (n <= 0) return false;
    have += static_cast<std::size_t>(n);
  }
  return true;
}

bool send_all(int fd, const std::vector<char>& from) {
  for (std::size_t sent = 0; sent < from.size();) {
    const ssize_t n = send(fd, from.data() + sent, from.size() - sent, MSG_NOSIGNAL);
    if (n <= 0) return false;
    sent += static_cast<std::size_t>(n);
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t rounds = 20000, down = 120, up = 90;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view name = argv[i];
    (name == "--rounds" ? rounds : name == "--down" ? down : up) = std::strtoull(argv[i + 1], nullptr, 10);
  }
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof at;
  if (listener < 0 || bind(listener, reinterpret_cast<sockaddr*>(&at), sizeof at) != 0 || listen(listener, 1) != 0 ||
      getsockname(listener, reinterpret_cast<sockaddr*>(&at), &size) != 0)
    std::abort();
  std::vector<char> open(down, 1), states(up, 2);
  const pid_t client = fork();
  if (client == 0) {
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (fd < 0 || connect(fd, reinterpret_cast<sockaddr*>(&at), sizeof at) != 0) std::abort();
    no_delay(fd);
    while (receive_all(fd, open) && send_all(fd, states)) {}
    _exit(0);
  }
  const int fd = accept(listener, nullptr, nullptr);
  if (fd < 0) std::abort();
  no_delay(fd);
  std::vector<double> us;
  us.reserve(rounds);
  const double cpu_before = cpu_us(RUSAGE_SELF);
  const double begin = now_us();
  for (std::size_t i = 0; i < rounds; ++i) {
    const double from = now_us();
    if (!send_all(fd, open) || !receive_all(fd, states)) std::abort();
    us.push_back(now_us() - from);
  }
  const double wall = now_us() - begin, cpu_server = cpu_us(RUSAGE_SELF) - cpu_before;
  close(fd);
  waitpid(client, nullptr, 0);
  std::nth_element(us.begin(), us.begin() + static_cast<std::ptrdiff_t>(rounds / 2), us.end());
  const double n = static_cast<double>(rounds);
  fmt::print(
      "{{\"rounds\": {}, \"down\": {}, \"up\": {}, \"wall_us\": {:.3f}, \"median_us\": {:.3f}, \"cpu_us\": {:.3f}}}\n",
      rounds, down, up, wall / n, us[rounds / 2], (cpu_server + cpu_us(RUSAGE_CHILDREN)) / n);
  return 0;
}
