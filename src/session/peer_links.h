// One link for each peer, beside its control link, with what has been read of it.
#pragma once

#include <map>
#include <optional>

#include "convoy/ids.h"
#include "core/check.h"
#include "core/ports.h"
#include "wire/frame.h"

namespace convoy {

class PeerLinks {
 public:
  struct Link {
    LinkId link = 0;
    FrameReader reader;
  };

  explicit PeerLinks(Network& network) : network_(network) {}  // outlives it

  // The peer's link from now on; the peer must have none.
  FrameReader& open(Owner peer, LinkId link, FrameReader reader) {
    EXPECTS(peer != kNobody && link != 0 && !by_link_.count(link) && !by_peer_.count(peer));
    by_link_[link] = peer;
    return by_peer_.emplace(peer, Link{link, std::move(reader)}).first->second.reader;
  }
  // Whose link it is; nothing: it is none of these.
  std::optional<Owner> peer_of(LinkId link) const {
    const auto it = by_link_.find(link);
    return it == by_link_.end() ? std::nullopt : std::optional(it->second);
  }
  Link* find(Owner peer) {
    const auto it = by_peer_.find(peer);
    return it == by_peer_.end() ? nullptr : &it->second;
  }
  bool has(Owner peer) const { return by_peer_.count(peer) > 0; }
  const std::map<Owner, Link>& all() const { return by_peer_; }
  // The link has gone.
  void forget(Owner peer) {
    by_link_.erase(by_peer_.at(peer).link);
    by_peer_.erase(peer);
  }
  // Closes it. False: there was none.
  bool close(Owner peer) {
    const Link* link = find(peer);
    if (!link) return false;
    network_.close(link->link);
    forget(peer);
    return true;
  }

 private:
  Network& network_;
  std::map<Owner, Link> by_peer_;
  std::map<LinkId, Owner> by_link_;
};

}  // namespace convoy
