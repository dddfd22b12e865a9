// Interfaces to the operating system for everything below src/os: parallel work, links to peers, and a log.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "convoy/time.h"
#include "core/bytes.h"

namespace convoy {

// Runs independent pieces of work, forked and joined inside one call. The pieces may run on any thread in any order;
// each writes only its own results, so that the width never changes a bit.
class Executor {
 public:
  virtual ~Executor() = default;
  virtual int width() const = 0;
  // Calls work(begin, end) over disjoint ranges that cover [0, n), and returns when all are done.
  virtual void parallel(std::size_t n, const std::function<void(std::size_t, std::size_t)>& work) = 0;
};

class SerialExecutor final : public Executor {
 public:
  int width() const override { return 1; }
  void parallel(std::size_t n, const std::function<void(std::size_t, std::size_t)>& work) override {
    if (n > 0) work(0, n);
  }
};

// Runs pieces of work on other threads and returns them in the order in which they were submitted, so the number of
// threads changes no result. For one caller; when a piece is done, the driver calls on_time() of the caller's role.
class Handlers {
 public:
  struct Piece {
    virtual ~Piece() = default;
    virtual void work() = 0;  // on any thread, once
  };
  virtual ~Handlers() = default;
  virtual int width() const = 0;
  virtual void submit(std::vector<std::unique_ptr<Piece>> pieces) = 0;
  // Appends those that are done and behind nothing that is not. `wait`: at least one, if there is any.
  virtual void collect(std::vector<std::unique_ptr<Piece>>& done, bool wait) = 0;
};

// A byte stream to a peer, as TCP gives it: in order, no borders, may end at any moment. Numbers are never reused.
using LinkId = std::uint64_t;

// Where a datagram came from or goes to, compared and seldom interpreted below src/os.
struct Endpoint {
  std::uint64_t high = 0, low = 0;  // IPv6 or v4-mapped address
  std::uint16_t port = 0;
  friend auto operator<=>(const Endpoint&, const Endpoint&) = default;
};
// 127.0.0.0/8, ::1, or no address at all: a link in memory.
constexpr bool is_this_machine(const Endpoint& e) { return e.high == 0 && (e.low <= 1 || e.low >> 24 == 0xffff7f); }

// What a role may do to the network. Calls queue; nothing comes back from inside them.
class Network {
 public:
  virtual ~Network() = default;
  // Bytes after a close, or to an unknown link, vanish. The bytes are copied or sent before the call returns.
  virtual void send(LinkId link, ByteView bytes) = 0;
  // The same for bytes that go to many: they need not be copied for each.
  virtual void send_shared(LinkId link, const SharedBytes& bytes) { send(link, *bytes); }
  // Ends the link after what was sent; the owner gets no on_closed for it.
  virtual void close(LinkId link) = 0;
  virtual void send_datagram(const Endpoint& to, ByteView bytes) = 0;
  // Opens a link to the server that this process was pointed at; on_opened or on_closed follows.
  virtual LinkId connect() = 0;
  // Where an open link comes from or leads to; all zero if it is unknown, or in memory.
  virtual Endpoint peer(LinkId) const { return {}; }
  // What is queued towards a peer and not yet taken by it, in bytes (a slow peer's queue is the owner's business).
  virtual std::size_t backlog(LinkId link) const = 0;
};

// A role as its driver sees it: a state machine fed with bytes and instants. Single-threaded.
class Role {
 public:
  virtual ~Role() = default;
  virtual void on_opened(LinkId link, Moment now) = 0;
  virtual void on_bytes(LinkId link, ByteView bytes, Moment now) = 0;
  virtual void on_closed(LinkId link, Moment now) = 0;
  virtual void on_datagram(const Endpoint& from, ByteView bytes, Moment now) = 0;
  // Called when the deadline has come, and after any of the calls above.
  virtual void on_time(Moment now) = 0;
  // The next moment at which on_time must be called; kNever if only input matters.
  virtual Moment deadline() const = 0;
  // True when the role has finished and its driver may stop.
  virtual bool finished() const = 0;
};

// Lines about what is going on, for people; never part of a digest.
enum class LogLevel : std::uint8_t { kDebug, kInfo, kWarn, kError };
class Log {
 public:
  virtual ~Log() = default;
  virtual void line(LogLevel level, const std::string& text) = 0;
};

}  // namespace convoy
