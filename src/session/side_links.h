// The links that a member has beside its control link: one for assets, one for signs of life, one for samples that the
// server passes on.
#pragma once

#include "session/asset_server.h"
#include "session/life_links.h"
#include "session/relay_links.h"
#include "wire/datagram.h"

namespace convoy {

enum class SideLink : std::uint8_t { kBulk, kLife, kRelay };

// What a client sends first on such a link.
Bytes side_hello(SideLink what, Owner connection, const Token& token);

class SideLinks {
 public:
  // All outlive it; `events` may be null.
  SideLinks(Network& network, RelayEvents* events, Drops& drops, std::size_t most_open_requests)
      : assets_(network, drops, most_open_requests), life_(network, drops), relay_(network, events, drops) {}

  void open(SideLink what, Owner peer, LinkId link, FrameReader reader);

  AssetServer& assets() { return assets_; }
  const AssetServer& assets() const { return assets_; }
  LifeLinks& life() { return life_; }
  const LifeLinks& life() const { return life_; }
  RelayLinks& relay() { return relay_; }

  // Whose link it is; nothing: it is none of them.
  std::optional<Owner> peer_of(LinkId link) const {
    for (const auto peer : {assets_.peer_of(link), life_.peer_of(link), relay_.peer_of(link)})
      if (peer) return peer;
    return {};
  }
  bool has(Owner peer) const { return assets_.has(peer) || life_.has(peer) || relay_.has(peer); }
  // The link must be one of them.
  void on_bytes(LinkId link, ByteView bytes);
  void on_closed(LinkId link);
  // Closes the peer's.
  void drop(Owner peer) {
    assets_.drop(peer);
    life_.drop(peer);
    relay_.drop(peer);
  }

 private:
  AssetServer assets_;
  LifeLinks life_;
  RelayLinks relay_;
};

}  // namespace convoy
