// What comes in by datagrams in free mode: states of owners and questions for the time.
#pragma once

#include "replication/live_pace.h"
#include "replication/mirror.h"
#include "replication/peers.h"
#include "run/books.h"

namespace convoy {

class LiveIntake {
 public:
  // All outlive it. Stamps beyond now and `most_ahead` do not count as how far a host is.
  LiveIntake(Books& books, const LivePace& pace, Mirror& mirror, Peers& peers, Duration most_ahead, SendDatagram send)
      : books_(books), pace_(pace), mirror_(mirror), peers_(peers), most_ahead_(most_ahead), send_(std::move(send)) {}

  // False: something of it cannot be used now; it is to be sent again.
  bool take(Owner from, const Datagram& datagram, Moment now, Drops& drops);

 private:
  void answer_probe(Owner from, const Datagram& datagram, Moment now, Drops& drops);
  bool states(Owner from, const Datagram& datagram, Drops& drops);
  void compare(const Peer& peer, HostStatus& host, Slot slot, const State& after) const;

  Books& books_;
  const LivePace& pace_;
  Mirror& mirror_;
  Peers& peers_;
  Duration most_ahead_;
  SendDatagram send_;
  std::vector<Batch> batches_;
};

}  // namespace convoy
