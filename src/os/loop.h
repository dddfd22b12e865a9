// Drives one Role over real TCP and UDP sockets: one thread, one loop.
//
//   auto loop = os::NetLoop::open({.listen = "127.0.0.1:7447"});   // or .connect = "127.0.0.1:7447", or neither
//   if (!loop) return complain(loop.error());                      // "port 7447 on 127.0.0.1 is taken; ..."
//   ServerRole role(..., **loop);                                  // the role keeps the loop as its Network&
//   Status end = (*loop)->run(role);                               // until role.finished(), or stop()
//
// What the role sends while it is being called leaves in one write per link when the call returns. Its on_time follows
// each input, and may come without cause (a deadline that has moved, a queue that has drained).
//
// Threads: post() and stop() from any thread, everything else from the one that runs the loop. Nothing throws.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "convoy/result.h"
#include "core/peer_network.h"
#include "core/ports.h"
#include "os/datagram_port.h"
#include "os/sockets.h"

namespace convoy::os {

inline constexpr std::size_t kMaxLinks = 4096;             // more are accepted and closed, and counted
inline constexpr std::size_t kSendQueueLimit = 64u << 20;  // bytes a peer may leave untaken before its link is closed
inline constexpr std::size_t kReadChunk = 64u << 10;       // most bytes of one on_bytes; in one buffer for all links
inline constexpr Duration kLingerTime = std::chrono::seconds(2);    // a closed link may be idle for this long,
inline constexpr Duration kLingerLimit = std::chrono::seconds(30);  // and take this long to hand over what was sent
inline constexpr Duration kAcceptPause = std::chrono::milliseconds(100);  // after running out of descriptors
inline constexpr std::size_t kMaxPosted = 65536;                          // pieces of post() that wait

struct NetLoopOptions {
  std::string listen;  // "ADDR:PORT"; port 0 is a free one; UDP gets the same number. Empty: no listening
  // With the port, when it is ours and nobody can connect yet; a failure of it is open()'s.
  std::function<Status(std::uint16_t)> before_listening{};
  std::string connect;  // "HOST:PORT" that connect() goes to. Empty: connect() fails
  std::string bind;     // ADDR of this machine from which it is called, datagrams too. Empty: as the kernel chooses
  Duration connect_timeout = std::chrono::seconds(5);
  Duration busy_poll{0};  // poll this long before sleeping; only with a core to spare
  std::size_t max_links = kMaxLinks;
  std::size_t send_queue_limit = kSendQueueLimit;
  Log* log = nullptr;   // borrowed, may be absent
  bool offload = true;  // several datagrams for one call of the kernel, where it can
};

struct NetCounters {
  std::uint64_t links_opened = 0, links_closed = 0;
  std::uint64_t links_refused = 0;     // over max_links
  std::uint64_t links_overflowed = 0;  // over send_queue_limit
  std::uint64_t connects_failed = 0;
  std::uint64_t accept_pauses = 0;  // no descriptor left
  std::uint64_t bytes_in = 0, bytes_out = 0;
  DatagramPort::Counters datagrams;
};

class NetLoop final : public Network, public PeerNetwork {
 public:
  static Result<std::unique_ptr<NetLoop>> open(const NetLoopOptions& options);
  ~NetLoop() override;

  // Runs until the role has finished (links are then closed, with what was sent handed over for at most kLingerLimit)
  // or stop() was called (nothing is waited for). The Error is a fault of ours or of the machine.
  Status run(Role& role);

  // For a program that has a loop of its own: does what is there and what is due, and what more comes within `timeout`.
  // Returns early when the role has finished or `until_true` returns true; its links stay open until run() is called.
  void step(Role& role, Duration timeout, const std::function<bool()>& until_true = {});

  // Has `work` run in the loop's thread, in order; on_time follows. Any thread, before run() too. False when kMaxPosted
  // pieces wait already: nothing happens then.
  bool post(std::function<void()> work);
  // Has on_time called when the descriptor has become readable, once each time it does. The caller's, and open as long
  // as the loop; between runs.
  void watch(int descriptor);
  // Makes run() return soon. Any thread, any number of times; also before run().
  void stop();

  void send(LinkId link, ByteView bytes) override;
  void send_shared(LinkId link, const SharedBytes& bytes) override;
  void close(LinkId link) override;
  void send_datagram(const Endpoint& to, ByteView bytes) override;
  LinkId connect() override;
  LinkId connect_to(const Endpoint& peer) override;
  std::optional<Endpoint> take_links(LinkId beside) override;  // TCP alone
  void send_now() override;
  std::size_t backlog(LinkId link) const override;  // without what the kernel holds

  Endpoint listening() const;  // with the port that was chosen
  std::uint16_t port() const { return listening().port; }
  Endpoint server_endpoint() const;  // where connect() goes or went; datagrams too, by default
  CallFrom call_from() const;        // `bind`
  Endpoint peer(LinkId link) const override;
  NetCounters counters() const;
  // Why the last link ended or could not be opened, for people: "nobody listens at 127.0.0.1:7447 (...)".
  const std::string& last_trouble() const;

 private:
  class Engine;
  explicit NetLoop(std::unique_ptr<Engine> engine);
  std::unique_ptr<Engine> engine_;
};

}  // namespace convoy::os
