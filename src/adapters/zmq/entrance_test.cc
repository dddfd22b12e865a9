// Who may not connect is neither heard nor told anything, however it times what it does.
#include "adapters/zmq/entrance.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <set>

#include "adapters/zmq/socket.h"
#include "os/address.h"
#include "os/descriptor.h"

namespace entrance_test {

using namespace convoy;
using namespace convoy::zmq;

namespace {

constexpr std::uint16_t kPort = 25'876;
constexpr int kPatienceMs = 20'000;

// What a peer of ZMTP 3 says first: its greeting and its READY.
std::string greeting(const std::string& socket_type) {
  std::string out("\xFF\0\0\0\0\0\0\0\0\x7F\x03\0NULL", 16);
  out.resize(64);
  std::string ready = "\x05READY\x0BSocket-Type" + std::string("\0\0\0", 3);
  ready += static_cast<char>(socket_type.size()) + socket_type;
  return out + '\x04' + static_cast<char>(ready.size()) + ready;
}
std::string frame(const std::string& text) { return std::string(1, '\0') + static_cast<char>(text.size()) + text; }

bool say(int link, const std::string& bytes) {
  return ::send(link, bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size());
}

// 0, or what is wrong.
int connect(const os::Descriptor& socket) {
  const os::SocketAddress to = os::to_socket_address(os::ipv4(127, 0, 0, 1, kPort), AF_INET);
  return ::connect(socket.get(), to.get(), to.size) == 0 ? 0 : errno;
}

os::Descriptor connect_to_it() {
  os::Descriptor out(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const timeval patience{kPatienceMs / 1000, 0};
  ::setsockopt(out.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  REQUIRE(connect(out) == 0);
  return out;
}

// All that comes until the other side ends the connection, or `enough` bytes have come.
std::string heard(const os::Descriptor& link, std::size_t enough = ~std::size_t{0}) {
  std::string all;
  char some[1000];
  ssize_t n = 0;
  while (all.size() < enough && (n = ::recv(link.get(), some, sizeof some, 0)) > 0)
    all.append(some, static_cast<std::size_t>(n));
  const bool late = n < 0 && errno == EAGAIN;
  REQUIRE(!late);
  return all;
}

// A peer whose handshake is over.
os::Descriptor join_it(const std::string& socket_type) {
  os::Descriptor link = connect_to_it();
  REQUIRE(say(link.get(), greeting(socket_type)));
  REQUIRE(heard(link, 66).size() >= 66);
  return link;
}

SocketOptions door(SocketOptions::Kind kind, Admits admits) {
  SocketOptions out;
  out.kind = kind, out.address = "127.0.0.1:" + std::to_string(kPort), out.admits = std::move(admits);
  return out;
}

// The next message, with the empty ones between.
std::string next(Socket& socket, int& without_parts) {
  std::vector<Bytes> parts;
  for (int i = 0; i < kPatienceMs; ++i) {
    while (socket.receive(parts)) {
      if (!parts.empty()) return std::string(as_text(parts.back()));
      ++without_parts;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return "nothing came";
}

}  // namespace

TEST_CASE("what a stranger sends is never heard, whoever had its descriptor before and has it afterwards") {
  Context context;
  std::atomic<int> stranger{-1};
  std::atomic<bool> said{false};  // its descriptor is not used any more
  auto socket = Socket::open(context, door(SocketOptions::Kind::kListen, [&](int) {
                               const int of_it = stranger;
                               // As late as can be: it is in the kernel when the connection is shut down.
                               if (of_it < 0) return true;
                               (void)say(of_it, frame("stranger") + frame("stranger again"));
                               said = true;
                               return false;
                             }));
  REQUIRE(socket);
  int dropped = 0;  // one a round, as libzmq and the kernel have it that time
  for (int i = 0; i < 300; ++i) {
    const std::string word = "friend " + std::to_string(i);
    {
      const os::Descriptor comes = join_it("PUB");
      REQUIRE(say(comes.get(), frame(word)));
      REQUIRE(next(*socket, dropped) == word);
    }
    const os::Descriptor other(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    // The same connection, but no descriptor on which this thread does anything more.
    const os::Descriptor same(::fcntl(other.get(), F_DUPFD_CLOEXEC, 0));
    stranger = same.get();
    REQUIRE(connect(other) == 0);
    (void)say(other.get(), greeting("PUB"));
    CHECK(heard(other).size() <= 64);
    said.wait(false);
    said = false, stranger = -1;
  }
}

TEST_CASE("of many that come at once exactly those who may are heard") {
  Context context;
  std::mutex mutex;
  std::set<std::uint16_t> friends;  // their ports
  auto socket = Socket::open(context, door(SocketOptions::Kind::kListen, [&](int connection) {
                               os::SocketAddress peer;
                               ::getpeername(connection, peer.get(), &peer.size);
                               const std::lock_guard<std::mutex> hold(mutex);
                               return friends.count(os::from_socket_address(peer).port) > 0;
                             }));
  REQUIRE(socket);
  std::vector<os::Descriptor> links, strangers;
  for (int i = 0; i < 300; ++i) {
    const std::unique_lock<std::mutex> hold(mutex);  // nobody is judged before it is known who it is
    os::Descriptor link = connect_to_it();
    os::SocketAddress here;
    ::getsockname(link.get(), here.get(), &here.size);
    (void)say(link.get(), greeting("PUB"));
    if (i % 3 == 0) friends.insert(os::from_socket_address(here).port);
    (i % 3 == 0 ? links : strangers).push_back(std::move(link));
  }
  for (const os::Descriptor& link : strangers) (void)say(link.get(), frame("stranger"));
  int dropped = 0;
  for (std::size_t i = 0; i < links.size(); ++i) {
    REQUIRE(heard(links[i], 66).size() >= 66);
    REQUIRE(say(links[i].get(), frame("friend " + std::to_string(i))));
    REQUIRE(next(*socket, dropped) == "friend " + std::to_string(i));
  }
}

TEST_CASE("a stranger is told nothing, and who may is") {
  Context context;
  std::atomic<bool> may{false};
  auto socket = Socket::open(context, door(SocketOptions::Kind::kPublish, [&](int) { return may.load(); }));
  REQUIRE(socket);
  const os::Descriptor stranger = connect_to_it();
  REQUIRE(say(stranger.get(), greeting("SUB")));
  std::atomic<bool> over{false};
  std::string told;
  std::thread listens([&] { told = heard(stranger), over = true; });
  while (!over) socket->send("news", as_bytes("of today"));
  listens.join();
  CHECK(told.find("news") == told.npos);
  CHECK(told.size() <= 64);

  may = true;
  const os::Descriptor comes = join_it("SUB");
  REQUIRE(say(comes.get(), frame("\x01")));
  std::string more;
  char some[1000];
  while (more.find("of today") == more.npos) {
    socket->send("news", as_bytes("of today"));
    const ssize_t n = ::recv(comes.get(), some, sizeof some, MSG_DONTWAIT);
    if (n > 0) more.append(some, static_cast<std::size_t>(n));
    REQUIRE(n != 0);
  }
}

TEST_CASE("a socket ends while programs come, and another one takes its place") {
  Context context;
  for (int i = 0; i < 20; ++i) {
    auto socket = Socket::open(context, door(SocketOptions::Kind::kRoute, [](int) { return true; }));
    for (int again = 0; !socket && again < kPatienceMs; ++again) {  // libzmq gives the port back a little later
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      socket = Socket::open(context, door(SocketOptions::Kind::kRoute, [](int) { return true; }));
    }
    REQUIRE(socket);
    std::vector<os::Descriptor> links;
    for (int k = 0; k < 10; ++k) {
      links.push_back(connect_to_it());
      REQUIRE(say(links.back().get(), greeting("DEALER")));
    }
    if (i % 2 == 0) continue;
    REQUIRE(say(join_it("DEALER").get(), frame("x")));
    int dropped = 0;
    CHECK(next(*socket, dropped) == "x");
  }
}

}  // namespace entrance_test
