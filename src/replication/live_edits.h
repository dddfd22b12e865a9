// Edits in free mode: carried out as they come, and sent to all peers in their order.
//
// Every mirror extrapolates the states of others, each slightly differently. Where an edit would fix such a state, the
// server sends its own with the edit, so that all mirrors agree.
#pragma once

#include <functional>
#include <utility>

#include "replication/live_rounds.h"
#include "run/asked_edits.h"

namespace convoy {

class LiveEdits {
 public:
  // All outlive it. `entered`: the edit is carried out, or is about to end the run. `restart`: the whole world begins
  // anew, its reset has been sent.
  LiveEdits(Books& books, const LivePace& pace, LiveRounds& rounds, const Peers& peers,
            std::function<void(const WaitingEdit&)> entered, std::function<void()> restart)
      : books_(books),
        pace_(pace),
        rounds_(rounds),
        peers_(peers),
        entered_(std::move(entered)),
        restart_(std::move(restart)) {}

  // All edits that wait.
  void apply_waiting();
  void carry_out(WaitingEdit next);
  // Takes out what agents ask of the server, carries it out, and answers their host. How many these were.
  std::size_t answer_requests(Owner from, std::vector<Message>& messages);
  // An element of a program has changed: hosts hear of it, and its body moves.
  void follow(const ElementChanged& change);
  void send(const Edit& edit);
  // Has one of those that were sent since the last call given a robot to another host?
  bool take_moved() { return std::exchange(moved_, false); }

 private:
  Message carry_out_asked(const Message& message);
  void settle_states(std::span<const WorldNumber> freed);

  Books& books_;
  const LivePace& pace_;
  LiveRounds& rounds_;
  const Peers& peers_;
  std::function<void(const WaitingEdit&)> entered_;
  std::function<void()> restart_;
  RequestLimit limit_;
  bool moved_ = false;
};

}  // namespace convoy
