// A network in virtual time, from a seed: one server and its clients, joined by links and datagrams that misbehave.
//
//   SimNet net(seed);
//   Network& a = net.server_network();     // roles are made with these
//   Network& b = net.add_client({.latency = 2ms});
//   net.set_server(server), net.set_client(0, client, Moment{} + 10ms);
//   net.at(Moment{} + 1s, [&] { net.cut(0); });
//   net.run(Moment{} + 60s, [&] { return server.finished(); });
//
// Links behave as TCP: bytes arrive in order and once, but late, split or merged at random; they may stall, die
// on one side only, die on both, or be refused. Processes may stand still, and their clocks jump forward (a steady clock
// never goes back). Nothing else is random and no clock is read: equal seeds and equal
// roles give equal event traces (trace()). Every trouble that really happened is counted by kind.
#pragma once

#include <array>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <queue>
#include <vector>

#include "core/ports.h"
#include "core/random.h"

namespace convoy::testing {

enum class Trouble : std::uint8_t {
  kSplit,           // one send arrived in pieces
  kCoalesced,       // several sends arrived as one
  kStall,           // bytes were held back, then came all at once
  kCut,             // both sides saw a close
  kCutLostBytes,    // and bytes that were under way are gone
  kRefused,         // a connection was refused
  kHalfOpenServer,  // only the server believes that the link lives; the client saw a close
  kHalfOpenClient,  // only the client believes it
  kBlackHole,       // both believe it; bytes vanish
  kVanished,        // bytes that vanished in a half-open link
  kSlowLink,        // bytes waited for a narrow link
  kKill,            // a client stopped without a word
  kServerStopped,   // its process stood still for a while
  kClientStopped,   // the same of a client's
  kClockJump,       // a process's clock went on by more than the time that passed
  kDatagramLost,
  kDatagramTwice,
  kDatagramReordered,
  kDatagramDamaged,
  kCount,
};
inline constexpr std::size_t kTroubles = static_cast<std::size_t>(Trouble::kCount);
const char* name_of(Trouble trouble);
using TroubleCounts = std::array<std::uint64_t, kTroubles>;

// How the path between a client and the server is; probabilities in [0, 1].
struct PathProfile {
  Duration latency = std::chrono::milliseconds(1);
  Duration jitter{0};           // uniform on top, drawn per piece
  Duration slower_up{0};        // on top, from the client to the server
  double bytes_per_second = 0;  // 0: as fast as one likes
  double split = 0.3, coalesce = 0.5;
  double datagram_loss = 0, datagram_twice = 0, datagram_late = 0, datagram_damage = 0;
};

enum class HalfOpen : std::uint8_t { kServerBelieves, kClientBelieves, kBothBelieve };

class SimNet {
 public:
  explicit SimNet(std::uint64_t seed);
  ~SimNet();

  Network& server_network();
  Network& add_client(const PathProfile& path);
  void set_server(Role& server);
  // The role receives nothing before `start`.
  void set_client(std::size_t client, Role& role, Moment start = {});

  // Work for a moment: faults, scripts.
  void at(Moment when, std::function<void()> work);
  // Until `until` is true (asked after each event), nothing is left to do, the moment has come, or time does not go on
  // because a role's deadline stays in the past.
  void run(Moment limit, const std::function<bool()>& until);
  Moment now() const { return now_; }

  // Troubles of all links that the client has now. Without one, nothing happens and nothing is counted.
  void cut(std::size_t client);
  void stall(std::size_t client, Duration how_long);
  void half_open(std::size_t client, HalfOpen kind);
  void refuse(std::size_t client, Duration how_long);
  // The client's process ends: no close, no goodbye, ever.
  void kill(std::size_t client);
  // Its process, or the server's (kServer), stands still: what comes waits, as in a kernel, which also opens links for it.
  static constexpr std::size_t kServer = static_cast<std::size_t>(-1);
  void stop(std::size_t client, Duration how_long);
  void jump_clock(std::size_t client, Duration by);
  // Its datagrams come from another port from now on.
  void rebind(std::size_t client);
  bool linked(std::size_t client) const;
  // The path is another one from now on.
  void set_path(std::size_t client, const PathProfile& path) { seats_[client + 1].path = path; }

  const TroubleCounts& troubles() const { return troubles_; }
  std::uint64_t trace() const { return trace_; }  // hash of all that was delivered, in order, with its moment
  // Where clients send datagrams for the server.
  static Endpoint server_endpoint() { return {0, 0, 1}; }

 private:
  class Side;
  struct Item {  // what travels in one direction of a link
    enum class Kind : std::uint8_t { kOpened, kBytes, kClosed } kind;
    Moment due{};
    Bytes bytes;
    bool opened = false;  // the kernel of a process that stands still has opened the link already
  };
  struct Lane {
    std::deque<Item> items;
    Moment last_due{}, narrow_until{}, stalled_until{};
    std::size_t queued = 0;  // bytes
    bool open = false;       // the receiver knows the link and has not seen its end
    bool hole = false;       // bytes vanish
  };
  struct Link {
    std::size_t client = 0;
    Lane up, down;  // to the server, to the client
  };
  struct Event {
    Moment due{};
    std::uint64_t order = 0;
    enum class Kind : std::uint8_t { kLane, kDatagram, kWork } kind = Kind::kLane;
    LinkId link = 0;
    bool up = false;
    std::size_t to = 0;  // side of a datagram
    Endpoint from;
    Bytes bytes;
    std::function<void()> work;
  };
  struct Later {
    bool operator()(const Event& a, const Event& b) const {
      return std::pair(a.due, a.order) > std::pair(b.due, b.order);
    }
  };
  struct Seat {  // a role and what belongs to it
    std::unique_ptr<Side> network;
    Role* role = nullptr;
    Moment start{};
    PathProfile path;
    Moment refused_until{}, stopped_until{};
    Duration clock{};  // how much further its clock is
    std::uint16_t port = 0;
    bool dead = false;
  };

  void count(Trouble trouble, std::uint64_t n = 1) { troubles_[static_cast<std::size_t>(trouble)] += n; }
  void push(Event event);
  void put(LinkId id, bool up, Item item);
  void put_bytes(LinkId id, bool up, ByteView bytes);
  LinkId connect(std::size_t side);
  void send(std::size_t side, LinkId id, ByteView bytes);
  void close(std::size_t side, LinkId id);
  void send_datagram(std::size_t side, const Endpoint& to, ByteView bytes);
  std::size_t backlog(std::size_t side, LinkId id) const;
  void deliver_lane(LinkId id, bool up);
  void deliver_datagram(const Event& event);
  void deliver(LinkId id, bool up, const Item& item);
  void forget_if_over(LinkId id);
  void note(std::uint64_t what, std::uint64_t to, std::uint64_t link, ByteView bytes);
  bool awake(std::size_t side) const;
  std::vector<LinkId> links_of(std::size_t client) const;

  Random random_;
  std::vector<Seat> seats_;  // 0 is the server
  std::map<LinkId, Link> links_;
  LinkId next_link_ = 1;
  std::priority_queue<Event, std::vector<Event>, Later> events_;
  std::uint64_t next_order_ = 0, trace_ = 0, turns_at_once_ = 0;
  Moment now_{};
  std::uint16_t next_port_ = 2;
  TroubleCounts troubles_{};
};

}  // namespace convoy::testing
