// Requests that are under way: each waits for a boundary, for the server, or for both in turn.
//
//   Request& r = requests.add({.session = id, .done = reply});
//   requests.ask(r, wish);                       // the server
//   r.until = tick;                              // a boundary
//   r.then = ...;                                // what comes next, once nothing is waited for
//   requests.settle(fleet);                      // goes on with those that wait for nothing, and ends them
#pragma once

#include <functional>
#include <list>
#include <set>
#include <vector>

#include "agent/gateway.h"
#include "control/sessions.h"

namespace convoy::control {

inline constexpr std::size_t kMaxRequests = 10'000;  // under way

// What a request has come to.
struct Reached {
  const Fleet* fleet = nullptr;
  Tick tick = 0;     // at which what it asked of the server last took effect
  std::string text;  // of the server's last answer
};
// Called once. It may read all of the control core, and ask what follows; it ends no session.
using Done = std::function<void(const Checked<Reached>&)>;

struct Request {
  using Then = std::function<void(const Fleet&, Request&)>;
  SessionId session;  // empty: of a caller without one
  Done done;
  Then then;                      // before it is done; may wait anew
  std::optional<Tick> until;      // the boundary that it waits for
  bool until_held = false;        // it waits for the boundary at which the world will rest
  std::set<std::uint64_t> asked;  // wishes that the server has not answered
  std::optional<Refusal> refused;
  Tick tick = 0;
  std::string text;
  Moment since{};  // it waits for the boundary
  bool ended = false;

  bool waits() const { return until || until_held || !asked.empty(); }
};

class Requests {
 public:
  bool full() const { return requests_.size() >= kMaxRequests; }
  Request& add(Request request);  // not where full()
  // Does a session wait?
  bool any_of(const SessionId& session) const;
  std::vector<SessionId> sessions() const;  // of all of them

  // What is wished of the server: for a request, or for none.
  std::uint64_t wish(GatewayWish wish);
  void ask(Request& request, GatewayWish wish) { request.asked.insert(this->wish(std::move(wish))); }
  std::vector<GatewayWish> take_wishes() { return std::exchange(wishes_, {}); }
  void answered(const GatewayAnswer& answer);

  void reached(Tick tick, Moment now);
  void held_at(const SessionId& session, Tick tick);
  // Refuses those that wait for a boundary; `why` returns nothing for one that goes on waiting.
  void give_up(const std::function<std::optional<Refusal>(const Request&)>& why);
  // Refuses those of a session, now.
  void end(const SessionId& session, const Refusal& why);
  // Those that wait for nothing go on, in the order in which they came; a Done is given the outcome.
  void settle(const Fleet& fleet);
  // Is a Done being called?
  bool answering() const { return answering_; }
  // Forgets those that have ended. Not from within a Done, which may add requests.
  void sweep();

 private:
  static void settle(const Fleet& fleet, Request& request);

  std::list<Request> requests_;  // by their coming
  std::vector<GatewayWish> wishes_;
  std::uint64_t wishes_made_ = 0;
  bool answering_ = false;
};

}  // namespace convoy::control
