// The inside of NetLoop, in terms of Asio: included by loop*.cc only (it costs 10 s a file).
//
//   kConnecting --connected--> kOpen --close(), peer's end--> kLeaving --all handed over and peer's end--> gone
//        |                       `--reset, queue over its bound--> gone
//        `--refused, timeout, close()--> gone
//
// Handlers hold a link's number and look it up, so that a link may go at any moment. Links go only in top-level
// handlers, in settle() and in close().
#pragma once

#include <utility>  // Asio 1.74 forgets it

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/udp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include <atomic>
#include <queue>
#include <unordered_map>
#include <vector>

#include "os/address.h"
#include "os/loop.h"

namespace convoy::os {

namespace asio = boost::asio;
using boost::system::error_code;

class NetLoop::Engine {
 public:
  explicit Engine(const NetLoopOptions& options) : options_(options) {}

  Status open();
  Status run(Role& role);
  void post(std::function<void()> work);
  void stop();
  void send(LinkId id, ByteView bytes);
  void close(LinkId id);
  void send_datagram(const Endpoint& to, ByteView bytes);
  LinkId connect();
  std::size_t backlog(LinkId id) const;

  Endpoint listening, server;
  NetCounters counters;
  std::string last_trouble;
  Endpoint peer(LinkId id) const;

 private:
  enum class State : std::uint8_t { kConnecting, kOpen, kLeaving };
  struct Link {
    LinkId id = 0;
    asio::ip::tcp::socket socket;
    State state = State::kOpen;
    Endpoint peer;
    Bytes out;  // from `head` on: what the kernel has not taken yet
    std::size_t head = 0;
    bool dirty = false;    // stands in dirty_
    bool waiting = false;  // for room in the kernel
    bool broken = false;   // writing has failed; reading will find the end
    bool doomed = false;   // stands in doomed_: nothing more goes out, on_closed follows
    bool ended = false;    // the peer's end has been read
    bool fin_sent = false;
    std::size_t candidate = 0;  // which target is being tried
    Moment chore_at = kNever, leave_by = kNever;
    std::size_t left_at_chore = 0;
    std::unique_ptr<std::uint8_t[]> in;

    std::size_t queued() const { return out.size() - head; }
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
  void schedule(LinkId id, Moment at);
  void start_accept();
  void on_accept(const error_code& error, asio::ip::tcp::socket socket);
  void wait_datagrams();
  void read_datagrams();
  Status assign_udp(int fd);
  void say(LogLevel level, const std::string& text);
  bool quiet_for_a_second(Moment& last);

  // loop_link.cc: one link's life
  Link* find(LinkId id);
  Link& add_link(asio::ip::tcp::socket socket, State state);
  void try_connect(Link& link);
  void on_connected(LinkId id, const error_code& error);
  void connect_failed(LinkId id, const std::string& why);
  void start_read(LinkId id);
  void on_read(LinkId id, const error_code& error, std::size_t n);
  void lose(LinkId id, const error_code& error);
  void leave(Link& link);
  void linger(Link& link);
  void mark_dirty(Link& link);
  void doom(Link& link, const std::string& why);
  void write_now(Link& link, ByteView extra);
  void flush(Link& link);
  void on_writable(LinkId id);
  void erase(LinkId id);

  NetLoopOptions options_;
  asio::io_context io_{1};
  asio::executor_work_guard<asio::io_context::executor_type> work_{io_.get_executor()};
  asio::ip::tcp::acceptor acceptor_{io_};
  asio::ip::udp::socket udp_{io_};
  int udp_family_ = AF_INET;
  asio::steady_timer timer_{io_};
  Moment armed_ = kNever;
  std::priority_queue<Chore, std::vector<Chore>, std::greater<>> chores_;
  std::vector<Endpoint> targets_;
  std::unordered_map<LinkId, std::unique_ptr<Link>> links_;
  LinkId next_id_ = 1;
  std::vector<LinkId> dirty_, doomed_, flushing_;
  Role* role_ = nullptr;  // null outside run() and in the farewell
  Moment now_{};
  std::atomic<bool> stop_{false};
  Moment last_accept_line_{}, last_refused_line_{};
  std::unique_ptr<std::uint8_t[]> datagrams_;
};

}  // namespace convoy::os
