// Links of members to the server for samples that the server passes on, beside their control links: the server's side.
//
// What is for a member that has no such link waits for it; the caller tells the member to open one. Nothing here is
// acknowledged: what is under way when a link breaks is lost, and the caller is told whose it was.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "core/ports.h"
#include "session/drops.h"
#include "session/peer_links.h"

namespace convoy {

class RelayEvents {
 public:
  virtual ~RelayEvents() = default;
  // False: it is none that may come there, and the link is closed.
  virtual bool relay_frame(Owner from, FrameType type, ByteView payload) = 0;
  virtual void relay_lost(Owner peer) = 0;
};

class RelayLinks {
 public:
  static constexpr std::size_t kMostWaiting = 16 * 1024 * 1024;  // bytes for a member that has no link
  static constexpr std::size_t kMostQueued = 64 * 1024 * 1024;   // bytes that a member has not taken

  // All outlive it. `events` may be null: nothing may come, then.
  RelayLinks(Network& network, RelayEvents* events, Drops& drops)
      : network_(network), events_(events), drops_(drops), links_(network) {}

  // The peer's link from now on; a former one is closed, and lost. The reader may hold frames that have arrived.
  void open(Owner peer, LinkId link, FrameReader reader);
  // Whose link it is; nothing: it is none.
  std::optional<Owner> peer_of(LinkId link) const { return links_.peer_of(link); }
  bool has(Owner peer) const { return links_.has(peer); }
  void on_bytes(LinkId link, ByteView bytes);  // the link must be one of these
  void on_closed(LinkId link);                 // the same
  // The peer has left: its link is closed, and what waits for it forgotten. Nobody is told.
  void drop(Owner peer);

  enum class Passing : std::uint8_t { kSent, kWaits, kFirstWaits, kLost };
  // kFirstWaits: nothing waited for this peer before. kLost: the peer takes too slowly, and its link was closed, or too
  // much waits for it; relay_lost() has not been called.
  Passing pass(Owner to, FrameType type, ByteView payload);

 private:
  struct Waiting {
    std::vector<Bytes> frames;
    std::size_t bytes = 0;
  };
  void read(Owner from);
  void lose(Owner peer);

  Network& network_;
  RelayEvents* events_;
  Drops& drops_;
  PeerLinks links_;
  std::map<Owner, Waiting> waiting_;
};

}  // namespace convoy
