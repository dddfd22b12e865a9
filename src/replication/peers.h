// The members to which a server in free mode reports the world, each with what it was sent.
#pragma once

#include <algorithm>
#include <functional>
#include <map>

#include "replication/state_sender.h"
#include "wire/datagram.h"
#include "wire/live.h"

namespace convoy {

struct Peer {
  bool host = false;
  StateSender sender;
  InterestRegion region;          // of a guest
  Slot trickle;                   // where the slow round over what it does not need has got to
  bool listed = false;            // does `sender` know what the peer wants, by the slots of now?
  Instant reached{};              // how far it has reported to be,
  std::uint32_t reached_run = 0;  // in this run
  std::uint64_t compared = 0;     // states whose divergence was measured
};
using Peers = std::map<Owner, Peer>;

// Sends a datagram and returns its number.
using SendDatagram = std::function<std::uint32_t(Owner, DatagramType, std::uint16_t run, ByteView)>;

// Have all hosts reported that they have reached this instant of the run?
inline bool all_reached(const Peers& peers, std::uint32_t run, Instant at) {
  return std::all_of(peers.begin(), peers.end(), [&](const auto& p) {
    return !p.second.host || (p.second.reached_run == run && p.second.reached >= at);
  });
}

}  // namespace convoy
