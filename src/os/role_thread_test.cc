// A role in a thread of its own hears and says the same, in order; who is slow holds no memory without end.
#include "os/role_thread.h"

#include <doctest/doctest.h>
#include <poll.h>

#include <atomic>
#include <semaphore>
#include <string>

namespace role_thread_test {

using namespace convoy;

namespace {

Bytes bytes_of(const std::string& text) { return Bytes(text.begin(), text.end()); }

// What Embedded would be told.
struct There final : Network {
  void send(LinkId link, ByteView bytes) override { said += std::to_string(link) + ":" + text(bytes) + " "; }
  void close(LinkId link) override { said += "close " + std::to_string(link) + " "; }
  void send_datagram(const Endpoint& to, ByteView bytes) override {
    said += "@" + std::to_string(to.port) + ":" + text(bytes) + " ";
  }
  LinkId connect() override { return 70 + ++links; }
  std::size_t backlog(LinkId) const override { return 0; }
  static std::string text(ByteView bytes) { return {bytes.begin(), bytes.end()}; }
  LinkId links = 0;
  std::string said;
};

// Answers everything, by its own number of the link. Ends at "end".
struct Echo final : Role {
  explicit Echo(Network& network) : network_(network), link(network.connect()) {}
  void on_opened(LinkId of, Moment) override { network_.send(of, bytes_of("hello")); }
  void on_bytes(LinkId of, ByteView bytes, Moment) override {
    const std::string text = There::text(bytes);
    heard += text.size() > 10 ? "..." : text;
    if (text == "end") network_.close(of), over = true;
    else network_.send(of, bytes_of("<" + text + ">"));
  }
  void on_closed(LinkId, Moment) override { heard += "closed", ++closed; }
  void on_datagram(const Endpoint& from, ByteView bytes, Moment) override {
    ++datagrams;
    network_.send_datagram(from, bytes);
  }
  void on_time(Moment) override {}
  Moment deadline() const override { return kNever; }
  bool finished() const override { return over; }

  Network& network_;
  LinkId link;
  std::string heard;
  int closed = 0, datagrams = 0;
  bool over = false;
};

bool rings(const os::RoleThread& thread, int wait_ms) {
  pollfd one{thread.wakes(), POLLIN, 0};
  return ::poll(&one, 1, wait_ms) == 1;
}

}  // namespace

TEST_CASE("what is heard and said is in order, by each side's numbers of links") {
  There there;
  os::RoleThread thread(there);
  Echo echo(thread.network());
  REQUIRE(rings(thread, 0));
  CHECK(thread.deadline() == Moment{});
  thread.on_time({});
  CHECK(!rings(thread, 0));
  CHECK(thread.deadline() == kNever);
  thread.start(echo);
  thread.on_opened(71, {});
  thread.on_bytes(71, bytes_of("one"), {});
  thread.on_bytes(71, bytes_of("two"), {});
  thread.on_datagram({0, 0, 9}, bytes_of("d"), {});
  thread.on_bytes(99, bytes_of("nobody's"), {});
  thread.on_bytes(71, bytes_of("end"), {});
  while (!thread.finished()) {
    (void)rings(thread, 10);  // its end is quiet
    thread.on_time({});
  }
  CHECK(there.said == "71:hello 71:<one> 71:<two> @9:d close 71 ");
  CHECK(echo.heard == "onetwoend");
  CHECK(!thread.post([] {}));
  thread.on_bytes(71, bytes_of("late"), {});
  thread.end();
  CHECK(echo.heard == "onetwoend");
}

TEST_CASE("what is posted is done in its thread, and end() waits for what came before") {
  There there;
  os::RoleThread thread(there);
  Echo echo(thread.network());
  thread.on_time({});
  thread.start(echo);
  std::thread::id of;
  CHECK(thread.post([&of] { of = std::this_thread::get_id(); }));
  for (int i = 0; i < 100; ++i) thread.on_bytes(71, bytes_of("x"), {});
  thread.on_closed(71, {});
  thread.end();
  CHECK(of != std::thread::id());
  CHECK(of != std::this_thread::get_id());
  CHECK(echo.heard == std::string(100, 'x') + "closed");
}

TEST_CASE("who takes nothing loses datagrams first, and then the link") {
  There there;
  os::RoleThread thread(there);
  Echo echo(thread.network());
  thread.on_time({});
  std::binary_semaphore busy{0}, go{0};
  thread.start(echo);
  CHECK(thread.post([&] { busy.release(), go.acquire(); }));
  busy.acquire();
  const Bytes piece(1 << 20);
  for (std::size_t sent = 0; sent <= os::RoleThread::kDatagramLimit; sent += piece.size()) {
    thread.on_datagram({}, bytes_of("early"), {});
    thread.on_bytes(71, piece, {});
  }
  for (int i = 0; i < 10; ++i) thread.on_datagram({}, bytes_of("dropped"), {});
  CHECK(there.said.empty());
  for (std::size_t sent = 0; sent <= os::RoleThread::kQueueLimit; sent += piece.size()) thread.on_bytes(71, piece, {});
  CHECK(there.said == "close 71 ");
  go.release();
  thread.end();
  CHECK(echo.datagrams == 16);
  CHECK(echo.closed == 1);
  CHECK(echo.heard.ends_with("closed"));
}

}  // namespace role_thread_test
