// The inside of NetLoop: epoll, sockets and links. Included by loop*.cc only.
//
//   kConnecting --connected--> kOpen --close(), peer's end--> kLeaving --all handed over and peer's end--> gone
//        |                       `--reset, queue over its bound--> gone
//        `--refused, timeout, close()--> gone
//
// Sockets are level-triggered: what one turn leaves is reported again in the next, so that every bound on a turn's work
// is safe. Events carry a link's number, and links are found by it, so that a link may go at any moment. Links go only
// in top-level handlers, in settle() and in close().
//
// Why not Asio: 1.74 reads until EAGAIN after every message, and its queues cost as much again. 64 bytes to and fro
// took 1.25x of bare blocking sockets with it, 1.09x with epoll alone (pingpong.cpp; load 5, one core).
#pragma once

#include <sys/epoll.h>

#include <atomic>
#include <mutex>
#include <queue>
#include <unordered_map>
#include <vector>

#include "os/address.h"
#include "os/descriptor.h"
#include "os/loop.h"
#include "os/send_queue.h"

namespace convoy::os {

class NetLoop::Engine {
 public:
  explicit Engine(const NetLoopOptions& options) : options_(options) {}

  Status open();
  Status run(Role& role);
  void step(Role& role, Duration timeout, const std::function<bool()>& until_true = {});
  bool post(std::function<void()> work);
  void watch_outside(int descriptor);
  void stop();
  template <class B>  // ByteView, or SharedBytes
  void send(LinkId id, const B& bytes);
  void close(LinkId id);
  void send_datagram(const Endpoint& to, ByteView bytes) { port_.send(to, bytes); }
  const DatagramPort::Counters& datagram_counters() const { return port_.counters(); }
  LinkId connect(const std::optional<Endpoint>& peer);  // nothing: the server
  std::optional<Endpoint> take_links(LinkId beside);
  void flush_all();
  std::size_t backlog(LinkId id) const;

  Endpoint listening, server;
  struct {
    std::vector<Endpoint> targets;
    CallFrom from;
  } calls;  // to the server
  NetCounters counters;
  std::string last_trouble;
  Endpoint peer(LinkId id) const;

 private:
  enum class State : std::uint8_t { kConnecting, kOpen, kLeaving };
  struct Link {
    LinkId id = 0;
    Descriptor socket;
    State state = State::kOpen;
    Endpoint peer;
    SendQueue out;              // what the kernel has not taken yet
    std::uint32_t watched = 0;  // epoll's events
    bool dirty = false;         // is listed in dirty_
    bool waiting = false;       // for room in the kernel
    bool broken = false;        // writing has failed; reading will find the end
    bool doomed = false;        // is listed in doomed_: nothing more goes out, on_closed follows
    bool ended = false;         // the peer's end has been read
    bool fin_sent = false;
    std::vector<Endpoint> targets{};  // while it is being connected: what is tried, in this order
    std::size_t candidate = 0;        // which of them is tried now
    Moment chore_at = kNever, leave_by = kNever;
    std::size_t left_at_chore = 0;

    std::size_t queued() const { return out.size(); }
  };
  struct Chore {
    Moment at;
    LinkId link;  // 0: accept again
    friend bool operator>(const Chore& a, const Chore& b) { return a.at > b.at; }
  };

  // loop.cc: the turns of the loop, timers, accepting, datagrams
  Status open_sockets();
  void turn();
  void spin();
  void settle();
  void input_done();
  void farewell();
  void arm();
  void do_chores();
  int pump(int timeout_ms);
  void dispatch(const epoll_event& event);
  void watch_special(int operation, const Descriptor& fd, std::uint32_t events, std::uint64_t mark);
  void ring();
  void run_posted();
  void on_timer();
  void accept_some();
  void pause_accepting(int error);
  void read_datagrams();
  void assign_udp(Descriptor fd);
  void say(LogLevel level, const std::string& text);

  // loop_link.cc: one link's life
  Link* find(LinkId id);
  Link& add_link(Descriptor socket, State state, const Endpoint& peer);
  void watch(Link& link);
  void on_link(LinkId id, std::uint32_t events);
  void try_connect(Link& link);
  void on_connected(LinkId id, int error);
  void connect_failed(LinkId id, const std::string& why);
  void read(Link& link);
  void lose(LinkId id, int error);
  void leave(Link& link);
  void linger(Link& link);
  void mark_dirty(Link& link);
  void doom(Link& link, const std::string& why);
  void write_now(Link& link, ByteView extra);
  std::size_t write_some(Link& link, ByteView extra);
  void flush(Link& link);
  void on_writable(LinkId id);  // at top level only
  void erase(LinkId id);

  NetLoopOptions options_;
  Descriptor epoll_, timer_, bell_, acceptor_;
  DatagramPort port_;
  Moment armed_ = kNever;
  std::priority_queue<Chore, std::vector<Chore>, std::greater<>> chores_;
  std::unordered_map<LinkId, std::unique_ptr<Link>> links_;
  LinkId next_id_ = 1;
  std::vector<LinkId> dirty_, doomed_, flushing_;
  Role* role_ = nullptr;  // null outside run() and in the farewell
  Moment now_{};
  std::atomic<bool> stop_{false};
  Moment last_accept_line_{}, last_refused_line_{};
  std::unique_ptr<std::uint8_t[]> in_;  // reused for every wake-up
  std::mutex posted_mutex_;
  std::vector<std::function<void()>> posted_;
};

}  // namespace convoy::os
