// What goes out in free mode: in each round every peer is sent what matters to it, as of the server's now.
//
// A lap is the number of rounds in which every entity has once been carried on to the server's now: in a large world
// one round carries on a share of them only. Once a lap each peer's list of entities that matter to it is made anew,
// with a margin for how far an entity may move meanwhile. Sending never waits for this: what is sent are the owners'
// own 25 bytes.
#pragma once

#include "replication/interest.h"
#include "replication/live_pace.h"
#include "replication/mirror.h"
#include "replication/peers.h"
#include "run/books.h"

namespace convoy {

struct LiveRoundsOptions {
  Duration period = std::chrono::milliseconds(33);
  std::size_t budget = 32 * 1024;  // bytes of states for one peer in one round
};

class LiveRounds {
 public:
  // All outlive it.
  LiveRounds(Books& books, const LivePace& pace, Mirror& mirror, Peers& peers, LiveRoundsOptions options,
             SendDatagram send)
      : books_(books), pace_(pace), mirror_(mirror), peers_(peers), options_(options), send_(std::move(send)) {}

  // The first round is due at once.
  void start(Moment now) { next_ = now; }
  Moment next() const { return next_; }
  Duration period() const { return options_.period; }
  // What a guest wants to be sent. False: nonsense, or of a host, whose robots decide what it needs.
  bool set_region(Owner from, ByteView payload);
  // Entities or owners have changed: slots are others'.
  void follow_world();
  // True: a round was due, and has gone out.
  bool proceed(Moment now);
  void round();
  // Where an entity is now.
  const State& state(Slot slot);
  // The whole world where it is now: for an image.
  void place_all();

 private:
  void place_some(Instant now);
  void list(Owner owner, Peer& peer);
  std::size_t rounds_of_lap() const;

  Books& books_;
  const LivePace& pace_;
  Mirror& mirror_;
  Peers& peers_;
  LiveRoundsOptions options_;
  SendDatagram send_;
  Interest interest_;
  std::vector<StateSender::Wanted> wanted_;
  Moment next_{};
  std::size_t to_place_ = 0;  // the next of this lap
  bool grid_stale_ = true;    // other entities are in the slots
  std::uint64_t rounds_ = 0;
};

}  // namespace convoy
