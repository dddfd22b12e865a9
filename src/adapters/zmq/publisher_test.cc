// What one owner adds, as a listener over TCP receives it.
#include "adapters/zmq/publisher.h"

#include <doctest/doctest.h>
#include <zmq.h>

#include <cstring>

namespace publisher_test {

using namespace convoy;
using namespace convoy::zmq;

namespace {

constexpr const char* kAddress = "127.0.0.1:25871";
constexpr int kNumbers = 20'000;  // of one batch: far more than the queue has room for at first

SocketOptions publish() {
  SocketOptions out;
  out.kind = SocketOptions::Kind::kPublish, out.address = kAddress;
  return out;
}

struct Listener {
  explicit Listener(const std::string& prefix) : context(zmq_ctx_new()), socket(zmq_socket(context, ZMQ_SUB)) {
    const int no_limit = 0, patience_ms = 20'000;
    zmq_setsockopt(socket, ZMQ_RCVHWM, &no_limit, sizeof no_limit);
    zmq_setsockopt(socket, ZMQ_RCVTIMEO, &patience_ms, sizeof patience_ms);
    zmq_setsockopt(socket, ZMQ_SUBSCRIBE, prefix.data(), prefix.size());
    REQUIRE(zmq_connect(socket, (std::string("tcp://") + kAddress).c_str()) == 0);
  }
  ~Listener() { zmq_close(socket), zmq_ctx_term(context); }
  std::string part() {
    char bytes[256];
    const int size = zmq_recv(socket, bytes, sizeof bytes, 0);
    return size < 0 ? "nothing came" : std::string(bytes, static_cast<std::size_t>(size));
  }
  void* context;
  void* socket;
};

void add(Publisher& publisher, const std::string& topic, const std::string& payload) {
  publisher.add(topic, as_bytes(payload));
}

// Until the listener's subscription has come.
std::string subscription(Publisher& publisher) {
  std::vector<Bytes> parts;
  for (int i = 0; i < 20'000; ++i) {
    if (publisher.receive(parts)) return std::string(as_text(parts.at(0)));
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return "none came";
}

}  // namespace

TEST_CASE("a batch larger than the queue arrives whole and in order") {
  auto publisher = Publisher::open(publish(), 0);
  REQUIRE(publisher);
  Listener listener("n/");
  CHECK(subscription(**publisher) == "\x01n/");
  for (int batch = 0; batch < 2; ++batch) {
    for (int i = 0; i < kNumbers; ++i) add(**publisher, "n/" + std::to_string(i), "value " + std::to_string(batch));
    add(**publisher, "other", "not for this one");
    (*publisher)->flush();
    int right = 0;
    for (int i = 0; i < kNumbers; ++i)
      right += listener.part() == "n/" + std::to_string(i) && listener.part() == "value " + std::to_string(batch);
    REQUIRE(right == kNumbers);
  }
}

TEST_CASE("who subscribes while batches leave without pause is served") {
  auto publisher = Publisher::open(publish(), 1);
  REQUIRE(publisher);
  Listener listener("late");
  std::vector<Bytes> parts;
  bool received = false;
  for (int i = 0; i < 1'000'000 && !received; ++i) {
    for (int k = 0; k < 50; ++k) add(**publisher, "busy", "x");
    (*publisher)->flush();
    received = (*publisher)->receive(parts);
  }
  REQUIRE(received);
  CHECK(as_text(parts.at(0)) == "\x01late");
  add(**publisher, "late", "welcome");
  (*publisher)->flush();
  CHECK(listener.part() == "late");
  CHECK(listener.part() == "welcome");
}

TEST_CASE("a publisher ends with a batch on its way, and its port is free again") {
  for (int i = 0; i < 20; ++i) {
    auto publisher = Publisher::open(publish(), i);
    REQUIRE(publisher);
    for (int k = 0; k < 1000; ++k) add(**publisher, "t", "p");
    (*publisher)->flush();
    auto second = Publisher::open(publish(), i);
    REQUIRE_FALSE(second);
    CHECK(second.error().code == ErrorCode::kUnavailable);
  }
}

}  // namespace publisher_test
