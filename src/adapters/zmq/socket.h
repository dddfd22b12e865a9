// ZeroMQ sockets that never block, throw or keep a process alive. libzmq's C functions: its C++ wrapper throws.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adapters/zmq/entrance.h"
#include "convoy/result.h"
#include "core/bytes.h"

namespace convoy::zmq {

// Bytes of one part that comes in; a peer that sends more is cut off.
inline constexpr std::int64_t kMaxMessage = 1 << 20;
inline constexpr std::int64_t kMaxRequestTaken = 4 << 20;  // of kRoute: what is larger than a request gets an answer
inline constexpr std::int64_t kMaxSubscription = 4096;     // of kPublish
// Of one peer of kPublish. With room for one alone libzmq (4.3) never hears of it where its handshake is held up.
inline constexpr int kSubscriptionsWaiting = 1000;
inline constexpr int kRequestsWaiting = 100;  // of one peer of kRoute; then it has to wait
inline constexpr int kHandshakeMs = 5000;     // from a connection to the end of its greeting
inline constexpr std::size_t kMaxParts = 8;   // of one message; more are dropped

// What sockets work in: a thread of libzmq's own, made with the first socket by the thread that opens it. Outlives
// them.
class Context {
 public:
  Context();
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  void* get() const { return context_; }
  // Of its sockets that do not let everybody in; made when the first one asks.
  Entrance& entrance();

 private:
  void* context_;
  std::unique_ptr<Entrance> entrance_;
};

struct SocketOptions {
  enum class Kind : std::uint8_t {
    kPublish,  // receives subscriptions: a byte, 1 or 0, and the prefix
    kListen,   // to all topics, or to `prefix`
    kRoute,    // requests, each after its sender; any number of replies in any order
  };
  Kind kind{};
  std::string address;    // "127.0.0.1:5555"
  bool bind = true;       // else it connects
  int queue = 1000;       // messages that wait for one peer, each way (but requests, subscriptions); more are dropped
  bool each_one = false;  // of kPublish: each subscriber is reported, not only the first of a prefix
  std::string prefix;
  std::string secret_key;  // CURVE, 40 characters of Z85: a client must know the public one. Empty: in the clear
  Admits admits;           // of one that binds: who may connect. Empty: everybody
};

// Of CURVE: 40 characters of Z85?
Status check_secret_key(const std::string& key);

class Socket {
 public:
  // kUnavailable: the port is taken.
  static Result<Socket> open(Context& context, const SocketOptions& options);
  Socket(Socket&& other) noexcept
      : socket_(std::exchange(other.socket_, nullptr)), kind_(other.kind_), entrance_(other.entrance_) {}
  Socket& operator=(Socket&& other) noexcept {
    std::swap(socket_, other.socket_), std::swap(kind_, other.kind_), std::swap(entrance_, other.entrance_);
    return *this;
  }
  ~Socket();

  // Dropped where a peer's queue is full, or no peer listens.
  void send(std::string_view topic, ByteView payload);
  void send(std::string_view whole);
  void send(const std::vector<Bytes>& envelope, ByteView payload);
  // As SocketOptions::queue, for what is sent from now on, to peers that are there or come.
  void set_queue(int messages);
  // The next message, if one is there. One of somebody who may not connect has no parts, but for subscriptions:
  // libzmq tells of the first of a prefix, so who may would be unheard; a stranger's ends as soon as it is seen.
  bool receive(std::vector<Bytes>& parts);
  // Becomes readable when something has come, and again only after receive() has returned that nothing is there.
  int descriptor() const;

 private:
  explicit Socket(void* socket, SocketOptions::Kind kind) : socket_(socket), kind_(kind) {}
  bool is_of_stranger(void* message) const;

  void* socket_;
  SocketOptions::Kind kind_;
  Entrance* entrance_ = nullptr;  // of the context; null: everybody may connect
};

}  // namespace convoy::zmq
