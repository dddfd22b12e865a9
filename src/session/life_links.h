// The server's side of the links for signs of life: a thread of the peer's sends a heartbeat on its own link, however
// busy its loop is, with a text that names what the process is busy with.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "convoy/ids.h"
#include "core/ports.h"
#include "session/drops.h"
#include "session/peer_links.h"

namespace convoy {

inline constexpr std::size_t kMaxBusyText = 256;           // bytes
inline constexpr std::string_view kTraced = "a debugger";  // what a process is busy with that is looked at by one

class LifeLinks {
 public:
  // Network and drops outlive it.
  LifeLinks(Network& network, Drops& drops) : drops_(drops), links_(network) {}

  // The peer's link from now on; a former one is closed.
  void open(Owner peer, LinkId link, FrameReader reader);
  // Whose link it is; nothing: it is none.
  std::optional<Owner> peer_of(LinkId link) const { return links_.peer_of(link); }
  bool has(Owner peer) const { return links_.has(peer); }
  void on_bytes(LinkId link, ByteView bytes);  // the link must be one of these
  void on_closed(LinkId link);                 // the same
  // Closes the peer's link, if it has one.
  void drop(Owner peer);
  // What the peer was busy with when it last sent a sign; empty: with nothing that has a name.
  std::string busy_with(Owner peer) const;

 private:
  void read(Owner from);

  Drops& drops_;
  PeerLinks links_;
  std::map<Owner, std::string> busy_with_;
};

// What the peer sends on it, again and again.
Bytes life_sign(std::string_view busy_with);

}  // namespace convoy
