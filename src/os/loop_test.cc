#include "os/loop.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <functional>
#include <map>
#include <thread>

#include "os/address.h"
#include "os/clock.h"
#include "os/sockets.h"

namespace loop_test {

using namespace convoy;
using namespace std::chrono_literals;

namespace {

// A role made of functions; what is not given does nothing.
struct Puppet : Role {
  std::function<void(LinkId)> opened = [](LinkId) {};
  std::function<void(LinkId, ByteView)> bytes = [](LinkId, ByteView) {};
  std::function<void(LinkId)> closed = [](LinkId) {};
  std::function<void(const Endpoint&, ByteView)> datagram = [](const Endpoint&, ByteView) {};
  std::function<void(Moment)> time = [](Moment) {};
  Moment due = kNever;
  bool done = false;

  void on_opened(LinkId link, Moment) override { opened(link); }
  void on_bytes(LinkId link, ByteView b, Moment) override { bytes(link, b); }
  void on_closed(LinkId link, Moment) override { closed(link); }
  void on_datagram(const Endpoint& from, ByteView b, Moment) override { datagram(from, b); }
  void on_time(Moment now) override { time(now); }
  Moment deadline() const override { return due; }
  bool finished() const override { return done; }
};

int tcp_socket() {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) std::abort();  // the machine has none left: there is nothing to test
  return fd;
}

using Loop = std::unique_ptr<os::NetLoop>;

Loop must(Result<Loop> loop) {
  REQUIRE_MESSAGE(loop.has_value(), (loop ? "" : loop.error().text));
  return std::move(*loop);
}
Loop listening(os::NetLoopOptions options = {}) {
  if (options.listen.empty()) options.listen = "127.0.0.1:0";
  return must(os::NetLoop::open(options));
}
Loop towards(const Endpoint& server) { return must(os::NetLoop::open({.connect = os::endpoint_text(server)})); }

// A server in a thread of its own until the test ends.
struct Running {
  Running(os::NetLoop& loop, Role& role) : loop_(loop), thread_([&] { end = loop.run(role); }) {}
  ~Running() {
    loop_.stop();
    thread_.join();
  }
  Status end;

 private:
  os::NetLoop& loop_;
  std::thread thread_;
};

std::uint8_t pattern(std::size_t i) { return static_cast<std::uint8_t>(i * 7 + (i >> 9)); }
Bytes pattern_bytes(std::size_t n) {
  Bytes out(n);
  for (std::size_t i = 0; i < n; ++i) out[i] = pattern(i);
  return out;
}

}  // namespace

TEST_CASE("ten megabytes go to an echo and come back as they were, on IPv4 and IPv6") {
  for (const char* address : {"127.0.0.1:0", "[::1]:0", "localhost:0"}) {
    Result<Loop> opened = os::NetLoop::open({.listen = address});
    if (!opened && std::string(address) == "[::1]:0") continue;  // a host without IPv6
    Loop server = must(std::move(opened));
    Puppet echo;
    echo.bytes = [&](LinkId link, ByteView b) { server->send(link, b); };
    Running running(*server, echo);

    Loop loop = towards(server->listening());
    const Bytes sent = pattern_bytes(10 << 20);
    Bytes got;
    Puppet client;
    client.opened = [&](LinkId link) {
      for (std::size_t at = 0; at < sent.size(); at += 60'000) {
        loop->send(link, ByteView(sent).subspan(at, std::min<std::size_t>(60'000, sent.size() - at)));
      }
    };
    client.bytes = [&](LinkId, ByteView b) {
      got.insert(got.end(), b.begin(), b.end());
      client.done = got.size() >= sent.size();
    };
    loop->connect();
    const Status end = loop->run(client);

    CHECK(end.has_value());
    CHECK(got == sent);
    CHECK(loop->counters().bytes_out == sent.size());
  }
}

TEST_CASE("what was sent before a close arrives whole, also when the role finishes at once") {
  Loop server = listening();
  Bytes got;
  bool ended = false;
  Puppet sink;
  sink.bytes = [&](LinkId, ByteView b) { got.insert(got.end(), b.begin(), b.end()); };
  sink.closed = [&](LinkId) { sink.done = ended = true; };
  std::thread thread([&] { (void)server->run(sink); });

  Loop loop = towards(server->listening());
  const Bytes sent = pattern_bytes(8 << 20);
  Puppet client;
  bool notified = false;
  client.opened = [&](LinkId link) {
    loop->send(link, sent);
    loop->close(link);
    client.done = true;
  };
  client.closed = [&](LinkId) { notified = true; };
  loop->connect();
  (void)loop->run(client);
  thread.join();

  CHECK(ended);
  CHECK_FALSE(notified);
  CHECK(got == sent);
}

TEST_CASE("a peer that ends its side is reported, and still gets what was queued for it") {
  Loop server = listening();
  Puppet role;
  int closed = 0;
  role.bytes = [&](LinkId link, ByteView) { server->send(link, pattern_bytes(3 << 20)); };
  role.closed = [&](LinkId link) {
    ++closed;
    server->send(link, pattern_bytes(10));  // vanishes
  };
  std::size_t got = 0;
  {
    Running running(*server, role);
    const int fd = tcp_socket();
    const os::SocketAddress to = os::to_socket_address(server->listening(), AF_INET);
    REQUIRE(::connect(fd, to.get(), to.size) == 0);
    REQUIRE(::send(fd, "x", 1, 0) == 1);
    REQUIRE(::shutdown(fd, SHUT_WR) == 0);
    Bytes buffer(1 << 16);
    for (ssize_t n = 1; n > 0;) {
      n = ::recv(fd, buffer.data(), buffer.size(), 0);
      if (n > 0) got += static_cast<std::size_t>(n);
    }
    ::close(fd);
  }

  CHECK(got == 3 << 20);
  CHECK(closed == 1);
}

TEST_CASE("a reset in the middle of a transfer is reported once, and others go on") {
  Loop server = listening();
  Puppet role;
  std::map<LinkId, int> closed;
  role.opened = [&](LinkId link) { server->send(link, pattern_bytes(32 << 20)); };
  role.closed = [&](LinkId link) {
    ++closed[link];
    role.done = closed.size() == 2;
  };
  std::thread thread([&] { (void)server->run(role); });
  for (int i = 0; i < 2; ++i) {
    const int fd = tcp_socket();
    const os::SocketAddress to = os::to_socket_address(server->listening(), AF_INET);
    REQUIRE(::connect(fd, to.get(), to.size) == 0);
    char byte = 0;
    REQUIRE(::recv(fd, &byte, 1, 0) == 1);
    const linger reset{1, 0};
    ::setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
    ::close(fd);
  }
  thread.join();

  CHECK(closed == std::map<LinkId, int>{{1, 1}, {2, 1}});
}

TEST_CASE("a reader that does not read costs its link at the bound, not the server") {
  Loop server = listening({.send_queue_limit = 1 << 20});
  Puppet role;
  bool closed = false;
  std::size_t most = 0;
  role.due = Moment{};  // always due
  LinkId slow = 0;
  role.opened = [&](LinkId link) { slow = link; };
  role.time = [&](Moment) {
    if (slow == 0) return;
    server->send(slow, pattern_bytes(10'000));
    most = std::max(most, server->backlog(slow));
  };
  role.closed = [&](LinkId) { role.done = closed = true; };
  const int fd = tcp_socket();
  const os::SocketAddress to = os::to_socket_address(server->listening(), AF_INET);
  REQUIRE(::connect(fd, to.get(), to.size) == 0);
  (void)server->run(role);
  ::close(fd);

  CHECK(closed);
  CHECK(most <= 1 << 20);
  CHECK(server->counters().links_overflowed == 1);
  CHECK(server->last_trouble().find("does not take its data") != std::string::npos);
}

TEST_CASE("a taken port, a bad address and a refused connection are reported in one clear line") {
  Loop first = listening();
  const std::string taken = os::endpoint_text(first->listening());

  const auto second = os::NetLoop::open({.listen = taken});
  REQUIRE_FALSE(second.has_value());
  CHECK(second.error().text ==
        "port " + std::to_string(first->port()) +
            " on 127.0.0.1 is taken; choose another with --listen ADDR:PORT, or 0 for a free one");
  CHECK(second.error().code == ErrorCode::kExists);
  CHECK(os::NetLoop::open({.listen = "127.0.0.1"}).error().text == "'127.0.0.1' is not ADDR:PORT (there is no port)");
  CHECK(os::NetLoop::open({.listen = "127.0.0.1:70000"}).error().text ==
        "'127.0.0.1:70000' is not ADDR:PORT (a port is a number from 0 to 65535)");
  CHECK(os::NetLoop::open({.listen = "192.0.2.1:0"}).error().text == "192.0.2.1 is not an address of this machine");
  CHECK_FALSE(os::NetLoop::open({.connect = "127.0.0.1:0"}).has_value());

  // Bound and not listening: refused for as long as we hold it.
  const int fd = tcp_socket();
  const os::SocketAddress any = os::to_socket_address(os::ipv4(127, 0, 0, 1, 0), AF_INET);
  REQUIRE(::bind(fd, any.get(), any.size) == 0);
  const Endpoint unused = os::local_endpoint_of(fd);
  Loop loop = towards(unused);
  Puppet client;
  LinkId failed = 0;
  client.closed = [&](LinkId link) {
    failed = link;
    client.done = true;
  };
  const LinkId link = loop->connect();
  (void)loop->run(client);
  ::close(fd);

  CHECK(failed == link);
  CHECK(loop->last_trouble() == "nobody listens at " + os::endpoint_text(unused) + " (Connection refused)");
}

TEST_CASE("nobody can connect before what comes first is done, and its failure is open()'s") {
  const auto connects = [](std::uint16_t port) {
    const int fd = tcp_socket();
    sockaddr_in to{};
    to.sin_family = AF_INET, to.sin_port = htons(port), to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const bool is = ::connect(fd, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0;
    ::close(fd);
    return is;
  };
  std::uint16_t told = 0;
  bool early = true;
  const Loop loop = listening({.before_listening = [&](std::uint16_t port) {
    told = port, early = connects(port);
    return Status{};
  }});
  CHECK(told == loop->port());
  CHECK_FALSE(early);
  CHECK(connects(told));
  const auto failed = os::NetLoop::open({.listen = "127.0.0.1:0", .before_listening = [](std::uint16_t) -> Status {
                                           return fail(ErrorCode::kUnavailable, "not today");
                                         }});
  REQUIRE_FALSE(failed);
  CHECK(failed.error().message() == "not today");
}

TEST_CASE("a server that does not answer is given up after the timeout") {
  // A listener with a full queue: the kernel lets further connections hang.
  const int fd = tcp_socket();
  const os::SocketAddress any = os::to_socket_address(os::ipv4(127, 0, 0, 1, 0), AF_INET);
  REQUIRE(::bind(fd, any.get(), any.size) == 0);
  REQUIRE(::listen(fd, 0) == 0);
  Loop loop =
      must(os::NetLoop::open({.connect = os::endpoint_text(os::local_endpoint_of(fd)), .connect_timeout = 50ms}));
  Puppet client;
  int closed = 0;
  client.closed = [&](LinkId) { client.done = ++closed > 0; };
  for (int i = 0; i < 4; ++i) loop->connect();
  (void)loop->run(client);
  ::close(fd);

  CHECK(closed > 0);
  CHECK(loop->last_trouble().find("no answer from 127.0.0.1:") == 0);
}

TEST_CASE("datagrams go both ways, and what is too long is counted") {
  Loop server = listening();
  Puppet echo;
  echo.datagram = [&](const Endpoint& from, ByteView b) { server->send_datagram(from, b); };
  std::uint64_t too_long = 0;
  {
    Running running(*server, echo);
    Loop loop = towards(server->listening());
    Puppet client;
    std::vector<std::string> got;
    const auto send = [&](std::string_view text) { loop->send_datagram(loop->server_endpoint(), as_bytes(text)); };
    client.datagram = [&](const Endpoint& from, ByteView b) {
      CHECK(from == server->listening());
      got.emplace_back(as_text(b));
      if (got.size() == 1) send(std::string(os::kMaxDatagram + 1, 'x'));
      if (got.size() == 1) send("two");
      client.done = got.size() == 2;
    };
    send("one");
    (void)loop->run(client);
    CHECK(got == std::vector<std::string>{"one", "two"});
  }
  too_long = server->counters().datagrams.too_long;

  CHECK(too_long == 1);
}

TEST_CASE("deadlines come in order and never early, also one that moved closer") {
  Loop loop = must(os::NetLoop::open({}));
  Puppet role;
  const Moment start = os::now();
  std::vector<Moment> wanted{start + 3ms, start + 5ms, start + 6ms, start + 20ms};
  std::size_t next = 0;
  bool early = false;
  role.due = start + 50s;
  role.time = [&](Moment now) {
    if (now < role.due) return;
    early |= now < wanted[next];
    ++next;
    role.done = next == wanted.size();
    if (!role.done) role.due = wanted[next];
  };
  loop->post([&] { role.due = wanted[0]; });
  (void)loop->run(role);

  CHECK(next == 4);
  CHECK_FALSE(early);
  CHECK(os::now() >= wanted.back());
}

TEST_CASE("posted work runs in order in the loop's thread, and stop ends a loop that waits for nothing") {
  Loop loop = must(os::NetLoop::open({}));
  Puppet role;
  std::vector<int> order;
  std::thread::id where;
  std::thread other([&] {
    for (int i = 0; i < 100; ++i) loop->post([&order, i] { order.push_back(i); });
    loop->post([&] { where = std::this_thread::get_id(); });
    loop->post([&] { loop->stop(); });
  });
  const Status end = loop->run(role);
  other.join();

  CHECK(end.has_value());
  CHECK(order.size() == 100);
  CHECK(std::is_sorted(order.begin(), order.end()));
  CHECK(where == std::this_thread::get_id());
}

TEST_CASE("connections over the bound are closed and counted; the others live") {
  Loop server = listening({.max_links = 1});
  Puppet echo;
  echo.bytes = [&](LinkId link, ByteView b) { server->send(link, b); };
  {
    Running running(*server, echo);
    Loop loop = towards(server->listening());
    Puppet client;
    LinkId first = 0, second = 0;
    client.opened = [&](LinkId link) {
      if (link == first) loop->send(link, as_bytes("hello"));
    };
    client.bytes = [&](LinkId, ByteView) {
      if (second == 0) second = loop->connect();
    };
    client.closed = [&](LinkId link) {
      CHECK(link == second);
      client.done = true;
    };
    first = loop->connect();
    (void)loop->run(client);
  }
  CHECK(server->counters().links_refused == 1);
  CHECK(server->counters().links_opened == 1);
}

TEST_CASE("a busy-polling pair exchanges messages too") {
  Loop server = listening({.busy_poll = 100us});
  Puppet echo;
  echo.bytes = [&](LinkId link, ByteView b) { server->send(link, b); };
  Running running(*server, echo);
  Loop loop = must(os::NetLoop::open({.connect = os::endpoint_text(server->listening()), .busy_poll = 100us}));
  Puppet client;
  int rounds = 0;
  client.opened = [&](LinkId link) { loop->send(link, as_bytes("x")); };
  client.bytes = [&](LinkId link, ByteView b) {
    client.done = ++rounds == 200;
    if (!client.done) loop->send(link, b);
  };
  loop->connect();
  (void)loop->run(client);

  CHECK(rounds == 200);
}

TEST_CASE("a descriptor that is watched wakes the role each time that it becomes readable") {
  int ends[2];
  REQUIRE(::pipe2(ends, O_NONBLOCK) == 0);
  Loop loop = must(os::NetLoop::open({}));
  loop->watch(ends[0]);
  Puppet role;
  int rung = 0;
  role.time = [&](Moment) {  // with no deadline of its own
    char byte = 0;
    if (::read(ends[0], &byte, 1) != 1) return;
    role.done = ++rung == 3;
    if (!role.done) REQUIRE(::write(ends[1], "x", 1) == 1);
  };
  REQUIRE(::write(ends[1], "x", 1) == 1);
  (void)loop->run(role);
  ::close(ends[0]), ::close(ends[1]);

  CHECK(rung == 3);
}

TEST_CASE("without a descriptor left, accepting pauses and goes on when there is one again") {
  Loop server = listening();
  Loop loop = towards(server->listening());
  std::vector<int> hoard;
  Puppet role;
  role.opened = [&](LinkId) { role.done = true; };
  Puppet client;
  client.opened = [&](LinkId) { client.done = true; };
  loop->connect();  // has its socket already
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
  const rlimit few{std::min<rlim_t>(before.rlim_cur, 256), before.rlim_max};
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &few) == 0);
  for (int fd = ::dup(0); fd >= 0; fd = ::dup(0)) hoard.push_back(fd);
  // Runs until the first pause has been counted; what was hoarded is then given back.
  role.due = Moment{};
  role.time = [&](Moment) {
    if (server->counters().accept_pauses == 0) return;
    for (const int fd : hoard) ::close(fd);
    hoard.clear();
    role.due = kNever;
  };
  (void)server->run(role);
  ::setrlimit(RLIMIT_NOFILE, &before);

  CHECK(role.done);
  CHECK(server->counters().accept_pauses == 1);
  CHECK(server->counters().links_opened == 1);
}

TEST_CASE("a process that went to a server takes links of others beside, where it came from, and opens some itself") {
  Loop server = listening();
  Puppet nobody;
  Running running(*server, nobody);

  Loop taker = towards(server->listening());
  Puppet takes;
  LinkId control = 0, taken = 0;
  std::optional<Endpoint> where;
  Bytes got;
  takes.opened = [&](LinkId link) {
    if (control != 0) return void(taken = link);
    CHECK(!taker->take_links(999));
    control = link;
    where = taker->take_links(link);
  };
  takes.bytes = [&](LinkId link, ByteView b) {
    CHECK(link == taken);
    got.insert(got.end(), b.begin(), b.end());
    taker->send(link, as_bytes("back"));
  };
  taker->connect();
  const auto step = [](os::NetLoop& loop, Role& role, const std::function<bool()>& until) {
    loop.step(role, 10s, until);
    REQUIRE(until());
  };
  step(*taker, takes, [&] { return where.has_value(); });
  CHECK(os::is_loopback(*where));
  CHECK(where->port != 0);
  CHECK(taker->take_links(control) == where);

  Loop opener = towards(server->listening());
  Puppet opens;
  std::string answer;
  opens.opened = [&](LinkId link) { opener->send(link, as_bytes("straight")); };
  opens.bytes = [&](LinkId, ByteView b) { answer = as_text(b); };
  const LinkId link = opener->connect_to(*where);
  step(*opener, opens, [&] { return opener->backlog(link) == 0 && opener->peer(link) == *where; });
  opener->step(opens, 100ms);
  step(*taker, takes, [&] { return !got.empty(); });
  CHECK(got == Bytes{'s', 't', 'r', 'a', 'i', 'g', 'h', 't'});
  step(*opener, opens, [&] { return !answer.empty(); });
  CHECK(answer == "back");

  LinkId lost = 0;
  opens.closed = [&](LinkId l) { lost = l; };
  taker.reset();
  step(*opener, opens, [&] { return lost == link; });
  const LinkId refused = opener->connect_to(*where);
  step(*opener, opens, [&] { return lost == refused; });
}

TEST_CASE("a process that is bound to an address calls from there, by links and by datagrams, and takes links there") {
  const Endpoint own = os::ipv4(127, 0, 0, 2, 0);
  const auto here = [&](Endpoint from) { return from.port = 0, from == own; };
  Loop server = listening();
  std::mutex mutex;
  std::vector<Endpoint> came;
  Puppet hears;
  hears.opened = [&](LinkId link) {
    const std::lock_guard lock(mutex);
    came.push_back(server->peer(link));
  };
  hears.datagram = [&](const Endpoint& from, ByteView) {
    const std::lock_guard lock(mutex);
    came.push_back(from);
  };
  Running running(*server, hears);

  Loop loop = must(os::NetLoop::open({.connect = os::endpoint_text(server->listening()), .bind = "127.0.0.2"}));
  CHECK(here(*loop->call_from()));
  Puppet calls;
  std::optional<Endpoint> taken;
  calls.opened = [&](LinkId link) {
    taken = loop->take_links(link);
    loop->send_datagram(loop->server_endpoint(), as_bytes("here"));
  };
  loop->connect();
  loop->step(calls, 10s, [&] {
    const std::lock_guard lock(mutex);
    return came.size() == 2;
  });
  REQUIRE(taken);
  CHECK(here(*taken));
  const std::lock_guard lock(mutex);
  REQUIRE(came.size() == 2);
  CHECK(here(came[0]));
  CHECK(here(came[1]));

  CHECK(os::NetLoop::open({.connect = "127.0.0.1:1", .bind = "203.0.113.7"}).error().text ==
        "203.0.113.7 is not an address of this machine");
}

TEST_CASE("what must not wait for the end of a role's call goes out within it") {
  Loop server = listening();
  std::atomic<bool> came{false};
  Puppet hears;
  hears.bytes = [&](LinkId, ByteView b) { came = came || as_text(b) == "now"; };
  Running running(*server, hears);

  Loop loop = towards(server->listening());
  Puppet busy;
  busy.opened = [&](LinkId link) {
    loop->send(link, as_bytes("now"));
    loop->send_now();
    for (const Moment end = os::now() + 20s; !came && os::now() < end;) std::this_thread::yield();
    CHECK(came);
    busy.done = true;
  };
  loop->connect();
  REQUIRE(loop->run(busy).has_value());
}

}  // namespace loop_test
